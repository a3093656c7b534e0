"""An honest split: public units, private ones, test units; and features that public rows decide.

How features are scaled, and which directions count, has to be decided without the private rows, or
the decision costs privacy. Here unlabelled public rows decide it, for all learners alike: each
column less its mean over its spread, then the leading principal components, over the radius within
which nine of ten public rows lie; what lies beyond is moved there. A 1 is appended for the
intercept, and all is divided by √2, so that |φ(x)| ≤ 1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.results.evidence import FloatArray
from dpviz.results.parameters import ParameterError, validate
from dpviz.topics.public_data.algorithms import Labelled
from dpviz.topics.public_data.real.data_sets import RealData

TEST_SHARE = 0.25
_INSIDE = 0.9  # of the public rows
_LEAST_PUBLIC, _LEAST_PRIVATE = 4, 10


@dataclass(frozen=True, eq=False)
class Split:
    """One split of the units.

    public: φ of a row of each public unit; private: φ, labels and what part of its unit each row
    is, unit: of which unit; test: φ and labels.
    """

    public: FloatArray
    private: Labelled
    test: Labelled
    unit: NDArray[np.intp]

    @property
    def dimension(self) -> int:
        """The length of φ."""
        return int(self.public.shape[1])

    def private_parts(self, count: int, rng: np.random.Generator) -> list[Labelled]:
        """Return the private units in so many random parts of equal size, but for one."""
        names, place = np.unique(self.unit, return_inverse=True)
        part = rng.permutation(np.arange(names.size) % count)[place]
        data, weight = self.private, self.private.parts
        return [
            Labelled(data.x[part == i], data.y[part == i], weight[part == i]) for i in range(count)
        ]

    def shares_correct(self, values: FloatArray) -> FloatArray:
        """Return the share of test rows whose label has the sign of the value; 0 counts as 1."""
        right: FloatArray = np.mean(np.where(values >= 0, 1.0, -1.0) == self.test.y, axis=-1)
        return right


def split(
    data: RealData, rng: np.random.Generator, *, public_share: float, components: float
) -> Split:
    """Return a random split: a quarter of the units for the test, public_share public.

    components: how many principal components are kept, if there are as many. Raises
    `ParameterError`.
    """
    share, most = validate("public_share", public_share), int(validate("components", components))
    units = data.unit_count
    test, public = round(units * TEST_SHARE), round(units * share)
    if public < _LEAST_PUBLIC or units - test - public < _LEAST_PRIVATE:
        allowed = f"such that {_LEAST_PUBLIC} units are public and {_LEAST_PRIVATE} private"
        raise ParameterError("public_share", allowed, public_share)
    part = np.zeros(units, dtype=int)
    order = rng.permutation(units)
    part[order[:test]], part[order[test : test + public]] = 2, 1
    row_part = part[data.unit]
    features = _features(data.features[row_part == 1], data.features, most)
    mixed = rng.permutation(len(data.unit))
    _, first = np.unique(data.unit[mixed], return_index=True)
    one_each = mixed[first]  # a row of each unit
    weight = 1.0 / np.bincount(data.unit)[data.unit]
    private, tested = row_part == 0, row_part == 2
    return Split(
        public=features[one_each[part == 1]],
        private=Labelled(features[private], data.label[private], weight[private]),
        test=Labelled(features[tested], data.label[tested]),
        unit=data.unit[private],
    )


def _features(public: FloatArray, rows: FloatArray, most: int) -> FloatArray:
    """Return φ of the rows, as the public ones decide it."""
    centre, spread = public.mean(axis=0), public.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    _, _, directions = np.linalg.svd((public - centre) / spread, full_matrices=False)
    kept = directions[:most].T / spread[:, None]
    near, turned = (public - centre) @ kept, (rows - centre) @ kept
    radius = max(float(np.quantile(np.linalg.norm(near, axis=1), _INSIDE)), 1e-12)
    inside = turned / np.maximum(radius, np.linalg.norm(turned, axis=1, keepdims=True))
    features: FloatArray = np.column_stack([np.ones(len(rows)), inside]) / np.sqrt(2)
    return features
