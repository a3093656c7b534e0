"""The script of a book finds what the app's search finds, of what is in the book."""

import json

from dpviz.scene.index import Document, Index
from dpviz.serve.book import contents
from dpviz.serve.book.searching import index_of
from dpviz.serve.lecture import classic
from dpviz.serve.topics import Topics
from tests.scripts.test_modules import node

ASKED = [
    *("clipped scores", "why δ", "Theorem 13", "theorems 9 and 13", "PTR", "hurts"),
    *("posterior", "how many users do I need", "ε", "noise 0.1", "Scheffé", "nothing-like-this"),
    *("what is a false alarm", "corollaries 3", "users", r"\\varepsilon", "exponential mechanism"),
]


def test_the_same_is_found_in_the_same_order(tmp_path):
    found = index_of(contents.usual(Topics()), Topics())
    documents = found["documents"]
    assert len(documents) > 300
    kinds = {
        "everyone": {"slug": "x", "view": "v"},
        "table": {"slug": "x", "settings": "tab=t"},
        "word": {"slug": "glossary"},
        "symbol": {"slug": "glossary"},
        "": {"slug": "x"},
    }
    index = Index(
        tuple(
            Document(title, **kinds[kind], search=title if kind == "word" else "")
            for title, _, _, kind in documents
        )
    )
    postings = {
        word: dict(zip(numbers, worths, strict=True))
        for word, (numbers, worths) in found["words"].items()
    }
    object.__setattr__(index, "postings", postings)
    entry = """import { Index } from "./search.js";
const { data, asked } = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
const index = new Index(data);
console.log(JSON.stringify(asked.map((text) => index.search(text))));
"""
    script, told = tmp_path / "search.cjs", tmp_path / "told.json"
    script.write_text(classic.script(entry))
    told.write_text(json.dumps({"data": found, "asked": ASKED}))
    ours = {id(one): number for number, one in enumerate(index.documents)}
    expected = [[ours[id(one)] for one in index.search(text).documents] for text in ASKED]
    assert json.loads(node(script, told)) == expected
    assert sum(map(bool, expected)) >= len(ASKED) - 2


def test_what_is_found_is_in_the_book_once_and_says_of_which_page_it_is():
    chapters = contents.chosen(["promise", "first-steps"], Topics())
    paths = {leaf.path for chapter in chapters for leaf in chapter.leaves}
    documents = index_of(chapters, Topics())["documents"]
    assert {way for _, _, way, _ in documents if "#" not in way} == {*paths, "glossary.html"}
    assert len({(title, way) for title, _, way, _ in documents}) == len(documents)
    found = {title: (said, way) for title, said, way, _ in documents}
    sections = [way for said, way in found.values() if said == "The promise, section"]
    assert "promise/play.html#what-δ-allows" in sections
    assert found["First steps"][1] == "first-steps/1.html"
