"""Settings of the whole server process, made once when the first page is imported."""

from starlette.formparsers import MultiPartParser
from threadpoolctl import threadpool_limits

from dpviz.results.user_data import MOST_BYTES


def prepare() -> None:
    """Keep BLAS to one thread, and uploaded files in memory.

    The matrices here are small: threads that wait for each other made an error curve four times
    as slow, and thirty readers share the processors anyway. An upload of more than 1 MB would be
    written to a temporary file before the app sees it.
    """
    threadpool_limits(limits=1, user_api="blas")
    MultiPartParser.spool_max_size = 2 * MOST_BYTES
