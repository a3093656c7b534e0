"""Whether the links of a folder of pages lead somewhere in it."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Links(HTMLParser):
    """The addresses of a page, and what it can be led to within it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.to: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        held = dict(attrs)
        self.to += [address for key in ("href", "src") if (address := held.get(key))]
        if name := held.get("id"):
            self.ids.add(name)


def broken(folder: Path, live: str = "") -> list[str]:
    """Return the links of all pages in a folder that lead nowhere in it: the page, and the link.

    live: what addresses elsewhere begin with; those are not looked at.
    """
    files = folder.rglob("*.html")
    pages = {file.resolve(): Links(file.read_text(encoding="utf-8")) for file in files}
    faults = []
    for page, links in pages.items():
        for link in links.to:
            if live and link.startswith(live):
                continue
            place, _, part = link.partition("#")
            target = (page.parent / unquote(place)).resolve() if place else page
            # Behind the # of a page with a figure there is a state.
            leads = target.is_file() and ("=" in part or not part or part in pages[target].ids)
            if not leads:
                faults.append(f"{page.relative_to(folder.resolve())}: {link}")
    return faults
