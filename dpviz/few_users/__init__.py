"""Few users: every user learns alone, shared darts make them agree, a private vote releases.

The composed learners of Ghazi, Kumar & Manurangsi 2021 in four models (`models`), and the views of
the page: agreement against m, the votes, success against n, parity, messages in the shuffle.
"""

from dpviz.few_users.agreement import AgreementChart, agreement
from dpviz.few_users.messages import Messages, messages
from dpviz.few_users.models import (
    DISPERSIONS,
    MODELS,
    EmptyRepresentation,
    empty_representation,
    least_users,
    release,
    success_ceiling,
    theorem_users,
)
from dpviz.few_users.parity import ParityChart, parity
from dpviz.few_users.setting import LEARNERS
from dpviz.few_users.success import SuccessChart, success
from dpviz.few_users.votes import Votes, votes

__all__ = [
    "DISPERSIONS",
    "LEARNERS",
    "MODELS",
    "AgreementChart",
    "EmptyRepresentation",
    "Messages",
    "ParityChart",
    "SuccessChart",
    "Votes",
    "agreement",
    "empty_representation",
    "least_users",
    "messages",
    "parity",
    "release",
    "success",
    "success_ceiling",
    "theorem_users",
    "votes",
]
