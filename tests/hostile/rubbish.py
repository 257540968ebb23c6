"""Values nobody should pass: not finite, of wrong shapes, types and ranges, empty and huge."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

__all__ = ["indices", "values"]

_NUMBERS = st.one_of(
    st.sampled_from(
        [0.0, -0.0, 1.0, -1.0, 1e-320, 1e30, 1e38, 1e300, float("nan"), float("inf"), -float("inf")]
    ),
    st.floats(-3.0, 3.0),
)
_ODD: list[Any] = [
    None, "", "x", b"x", object(), {}, {"a": 1}, [[1.0], [1.0, 2.0]], [], (), 1j, 10**400, True,
    np.array("text"), np.array([None, 1.0], dtype=object), np.zeros(0), np.zeros((0, 3)),
    np.array(["2020"], dtype="M8[Y]"), np.ma.masked_all(3), range(3), {1.0, 2.0},
]  # fmt: skip


@st.composite
def values(draw: st.DrawFn) -> Any:
    """What to pass for numbers: arrays of any shape, filled oddly, or no numbers at all."""
    if draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(_ODD))
    shape = draw(st.lists(st.sampled_from([1, 1, 2, 3, 4, 6, 7, 13]), max_size=4))
    array = np.full(shape, draw(_NUMBERS))
    for _ in range(draw(st.integers(0, 2))):
        if array.size:
            array.reshape(-1)[draw(st.integers(0, array.size - 1))] = draw(_NUMBERS)
    with np.errstate(all="ignore"):
        kind = draw(st.sampled_from(["f8", "f8", "f4", "f2", "i4", "?", "c16", "O", "U8"]))
        array = array.astype(kind)
    return array.tolist() if draw(st.booleans()) else array


def indices() -> st.SearchStrategy[Any]:
    """What to pass for ids: negative, too large, repeated, of other types, masks of any length."""
    return st.one_of(
        st.none(),
        st.sampled_from(
            [[], [0], [0, 0], [-1], [10**6], [2**63], [0.5], [float("nan")], "0", [True], [None],
             slice(None), slice(5, 1), np.array([[0]]), np.array([0], dtype=np.uint64), object()],
        ),
        st.lists(st.integers(-3, 5), max_size=4),
        st.lists(st.booleans(), max_size=4).map(np.array),
    )  # fmt: skip
