"""An upload in a real browser: it is analysed, and neither another window nor a file sees it."""

import os
import re
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.support.examples import only_in_ci

LINK = {"view": "real", "data": "own", "threshold": "2", "candidates": "16"}
PROC = Path("/proc")
VERDICT = re.compile("Clipping (helps|hardly helps|does not help)")


def rows(count):
    lines = (f"visitor{i % 997},{i:040d},{'often' if i % 4 else 'seldom'}" for i in range(count))
    return ("person,filler,answer\n" + "\n".join(lines)).encode()


def choose(reader, content, name="mine.csv"):
    reader.page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": content}
    )


def server_of(address):
    """The process that serves an address, found by its command line."""
    option = f"\0{urlsplit(address).port}\0".encode()
    for place in PROC.glob("[0-9]*/cmdline"):
        try:
            command = place.read_bytes()
        except OSError:
            continue
        if b"streamlit" in command and option in command:
            return place.parent
    raise LookupError(address)


def open_files(process):
    """The regular files a process has open to write, deleted ones included."""
    found = set()
    for link in (process / "fd").iterdir():
        try:
            target, flags = str(link.readlink()), (process / "fdinfo" / link.name).read_text()
        except OSError:
            continue
        mode = int(next(line.split()[1] for line in flags.splitlines() if "flags" in line), 8)
        regular = target.startswith("/") and not target.startswith(("/dev/", "/proc/"))
        if regular and mode & os.O_ACCMODE != os.O_RDONLY:
            found.add(target)
    return found


@pytest.mark.skipif(not PROC.exists(), reason="looks into /proc")
def test_an_upload_is_analysed_and_no_file_is_opened_for_it(fresh, address):
    reader = fresh
    reader.open("clipping", LINK)
    process = server_of(address)
    before, seen, stop = open_files(process), set(), threading.Event()

    def watch():
        while not stop.is_set():
            seen.update(open_files(process) - before)
            time.sleep(0.002)

    listener = threading.Thread(target=watch)
    listener.start()
    choose(reader, rows(60_000))
    expect(reader.takeaway).to_contain_text(VERDICT)
    stop.set()
    listener.join()
    assert not seen
    expect(reader.open_evidence("Source")).to_contain_text("“answer” over all rows")
    assert "answer" not in reader.page.url
    assert "network" not in reader.page.content()


@only_in_ci
def test_a_bad_file_changes_nothing_and_another_window_sees_none(fresh, reader):
    other, reader = reader, fresh
    reader.open("clipping", LINK)
    choose(reader, rows(4000))
    expect(reader.takeaway).to_contain_text(VERDICT)
    reader.settle()
    before = reader.takeaway.inner_text()
    choose(reader, "person,answer\na,grün\n".encode("latin-1"), name="bad.csv")
    problem = reader.page.get_by_text("Row 2: byte 0xFC is not UTF-8; save the file as UTF-8")
    expect(problem).to_be_visible()
    assert reader.takeaway.inner_text() == before
    other.page.bring_to_front()
    other.open("clipping", LINK)
    expect(other.page.get_by_text("until a file is uploaded")).to_be_visible()
    assert not other.page.get_by_role("combobox", name="The values").count()
