"""What browsers say over the WebSocket, kept to the limits that addresses have.

No Streamlit's reader has any: what a page types into the address and into its fields comes this
way, too.
"""

import json
import re
from itertools import accumulate
from typing import Any

from google.protobuf.descriptor import FieldDescriptor  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from dpviz.scene.codec import LONGEST_LINK
from dpviz.scene.submissions import MOST_FILES
from dpviz.serve.tcp_nodelay import LARGEST_MESSAGE
from dpviz.ui.inside import BackMsg

MOST_FIELDS = 500
"""Fields of a page, and what a browser says it remembers of it."""
_ALL = 2 * MOST_FIELDS  # things that a message repeats, wherever in it
_FILES = MOST_FILES  # for which a browser asks where to send them: those of a class
# What pages say. The other words are for those who develop an app, or who run it: they have every
# reader's caches cleared, ask Git, or end the server.
_HEARD = frozenset(
    {
        "rerun_script",
        "stop_script",
        "file_urls_request",
        "app_heartbeat",
        "backend_operation_request",
    }
)
_REQUESTS = frozenset({"deferred_file", "dataframe_chunk"})  # the rest is for developers
_TEXTS = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
_JSON = ("json_value", "json_trigger_value")
_BRACKET = re.compile(r"[][{}]")
_MARK = re.compile(r"[0-9a-f]{0,64}")
_LONGEST_JSON = 4 * LONGEST_LINK  # of all that components say in a message
_DEEPEST = 50  # brackets within each other in what a component of ours sends; it has four
_NOTHING = bytes(BackMsg(app_heartbeat=True).SerializeToString())


def short(message: bytes, longest: int = LONGEST_LINK) -> bytes | None:
    """Return a message with no text of more than so many characters, None for one too large.

    Too large is also what repeats too much: packed, half a million empty names take 1 kB on the
    line, and each would be answered. An address that is longer is left out, as is what a component
    of ours sends; of a typed text the beginning stays, and one character more than may be, so that
    its reader can say so. What no page says becomes a word without effect.
    """
    if len(message) > LARGEST_MESSAGE:
        return None
    content = BackMsg()
    try:
        content.ParseFromString(message)
    except DecodeError:
        return message  # Streamlit says what it is not
    kind = content.WhichOneof("type")
    operation = content.backend_operation_request.WhichOneof("payload")
    if kind not in _HEARD or operation not in {None, *_REQUESTS}:
        return _NOTHING
    if len(content.file_urls_request.file_names) > _FILES or _cut(content, longest) > _ALL:
        return None
    _drop_unread(content)
    # Streamlit writes these into its log.
    if not _MARK.fullmatch(content.rerun_script.fragment_id):
        content.rerun_script.fragment_id = ""
    if not _MARK.fullmatch(content.rerun_script.page_script_hash):
        content.rerun_script.page_script_hash = ""
    return bytes(content.SerializeToString())


def _cut(part: Any, longest: int) -> int:
    """Cut the long texts of a part of a message; return how many things it repeats.

    More than may be where a single list has too many; what is left is not looked at then.
    """
    count = 0
    for field, value in part.ListFields():
        several = value if field.is_repeated else ()
        count += len(several)
        if len(several) > MOST_FIELDS or count > _ALL:
            return _ALL + 1
        if field.message_type is not None:
            for inner in several if field.is_repeated else (value,):
                count += _cut(inner, longest)
                if count > _ALL:
                    return count
        elif field.type in _TEXTS and field.is_repeated:
            if any(len(text) > longest for text in several):
                return _ALL + 1
        elif field.type in _TEXTS and len(value) > longest:
            if field.name == "string_value":
                part.string_value = value[: longest + 1]
            else:
                part.ClearField(field.name)
    return count


def _drop_unread(content: BackMsg) -> None:
    """Leave out what components say that is no JSON, and all after more than they say together."""
    room = _LONGEST_JSON
    for state in content.rerun_script.widget_states.widgets:
        kind = state.WhichOneof("value")
        if kind not in _JSON:
            continue
        text = getattr(state, kind)
        room -= len(text)
        if room < 0 or not _is_json(text):
            state.ClearField(kind)


def _is_json(text: str) -> bool:
    """Return whether Streamlit can read a text, whose reader has errors of its own for the rest."""
    steps = (1 if found in "[{" else -1 for found in _BRACKET.findall(text))
    if max(accumulate(steps), default=0) > _DEEPEST:
        return False
    try:
        json.loads(text)
    except ValueError:  # no JSON, or a number of more digits than Python reads
        return False
    return True
