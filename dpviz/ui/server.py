"""Settings of the whole server process, made once when the first page is imported."""

from threadpoolctl import threadpool_limits


def prepare() -> None:
    """Keep BLAS to one thread.

    The matrices here are small: threads that wait for each other made an error curve four times
    as slow, and thirty readers share the processors anyway.
    """
    threadpool_limits(limits=1, user_api="blas")
