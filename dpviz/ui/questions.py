"""Questions in plain words, for readers who do not know the field, and where they are answered."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from dpviz.scene.catalogue import entry


@dataclass(frozen=True)
class PlainQuestion:
    """What a newcomer may ask, and the state of a page that shows the answer."""

    words: str
    slug: str
    query: Mapping[str, str]


QUESTIONS = (
    PlainQuestion(
        "If I give my data, what can a stranger learn about me from the answers?",
        "promise",
        {"view": "odds", "mechanism": "laplace", "queries": "1"},
    ),
    PlainQuestion(
        "If I add random noise to my answers, can I still promise how wrong they are at most?",
        "bounded_noise",
        {"view": "noise"},
    ),
    PlainQuestion(
        "Isn't the usual bell-shaped noise always the best choice?",
        "bounded_noise",
        {"view": "errors", "queries": "100000000"},
    ),
    PlainQuestion(
        "If I ask my data again and again, when do I start to fool myself?",
        "adaptive_analysis",
        {"questions": "10000"},
    ),
    PlainQuestion(
        "If each person gives me more examples, do I need fewer people?",
        "user_complexity",
        {"view": "people", "tosses": "3"},
    ),
    PlainQuestion(
        "Can one strange person in the data stop a private algorithm from answering?",
        "propose_test_release",
        {"view": "outliers", "outliers": "1"},
    ),
    PlainQuestion(
        "Two people look at different samples. Can they still make the same random choice?",
        "shared_darts",
        {"view": "board", "gap": "0.3"},
    ),
    PlainQuestion(
        "If I draw two fresh data sets, how different are the outputs of a private algorithm?",
        "perfect_generalization",
        {"view": "pairs"},
    ),
    PlainQuestion(
        "Does it help to have some data that need no protection?",
        "public_data",
        {},
    ),
)


def draw() -> None:
    """Draw the questions, each a link to its answer."""
    with st.container(key="questions"):
        for question in QUESTIONS:
            path = entry(question.slug).path
            st.page_link(path, label=question.words, query_params=dict(question.query))
