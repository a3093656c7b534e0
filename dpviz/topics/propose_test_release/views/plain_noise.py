"""View: the noise of DelStab beside plain noise."""

from typing import TypedDict, Unpack

from dpviz.results.parameters import validate
from dpviz.topics.propose_test_release.delstab import Budget
from dpviz.topics.propose_test_release.plain import NoiseChart, noise_chart
from dpviz.topics.propose_test_release.users_needed import UsersNeeded, users_needed


class ModelSetting(TypedDict):
    """What `against_plain_noise` takes: `Setting` without the data and their randomness."""

    users: float
    examples_per_user: float
    rate: float
    noise: str
    noise_factor: float
    epsilon: float
    delta: float


def against_plain_noise(**setting: Unpack[ModelSetting]) -> NoiseChart | UsersNeeded:
    """Return `noise_chart` for well-behaved users. Raises `ParameterError`."""
    users = int(validate("users", setting["users"]))
    needed = users_needed(users, Budget(setting["epsilon"], setting["delta"]))
    return noise_chart(**setting) if needed is None else needed
