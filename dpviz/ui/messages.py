"""What browsers say over the WebSocket, kept to the limits that addresses have.

No Streamlit's reader has any: what a page types into the address and into its fields comes this
way, too.
"""

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit.proto.BackMsg_pb2 import BackMsg

from dpviz.scene.codec import LONGEST_LINK
from dpviz.serve.promptness import LARGEST_MESSAGE

MOST = 500
"""Fields of a page, and what a browser says it remembers of it."""


def short(message: bytes, longest: int = LONGEST_LINK) -> bytes | None:
    """Return a message with no text of more than so many characters, None for one too large.

    An address that is longer is left out, as is what a component of ours sends; of a typed text the
    beginning stays, and one character more than may be, so that its reader can say so.
    """
    if len(message) <= longest:
        return message  # nothing in it is longer
    if len(message) > LARGEST_MESSAGE:
        return None
    said = BackMsg()
    try:
        said.ParseFromString(message)
    except DecodeError:
        return message  # Streamlit says what it is not
    rerun = said.rerun_script
    fields = rerun.widget_states.widgets
    if len(fields) > MOST or len(rerun.cached_message_hashes) > MOST:
        return None
    if len(rerun.query_string) > longest:
        rerun.query_string = ""
    for field in fields:
        for kind in ("string_value", "json_value", "json_trigger_value"):
            if field.WhichOneof("value") == kind and len(getattr(field, kind)) > longest:
                if kind == "string_value":
                    field.string_value = field.string_value[: longest + 1]
                else:
                    field.ClearField(kind)
    return bytes(said.SerializeToString())
