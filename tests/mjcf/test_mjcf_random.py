"""The law over random trees of frames, joints and shapes."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mjcf_law import compile_source, convert, round_trip

from usdsim.engine.compile.mjc import compare_models, compare_trajectories

NUMBERS = st.floats(-2.0, 2.0, allow_nan=False).map(lambda x: round(x, 3))
SIZES = st.floats(0.02, 0.5).map(lambda x: round(x, 3))
VECTORS = st.lists(NUMBERS, min_size=3, max_size=3)
AXES = VECTORS.filter(lambda v: sum(x * x for x in v) > 0.01)
QUATS = st.lists(NUMBERS, min_size=4, max_size=4).filter(lambda q: sum(x * x for x in q) > 0.01)


def _text(values):
    return " ".join(map(str, values))


@st.composite
def _joints(draw):
    kinds = draw(st.lists(st.sampled_from(["hinge", "slide", "hinge", "ball"]), max_size=3))
    # MuJoCo allows no rotation after a ball joint.
    kinds = kinds[: kinds.index("ball") + 1] if "ball" in kinds else kinds
    parts = []
    for kind in kinds:
        axis = "" if kind == "ball" else f'axis="{_text(draw(AXES))}"'
        extra = ""
        if kind != "ball" and draw(st.booleans()):
            low, high = sorted(draw(st.tuples(NUMBERS, NUMBERS)))
            extra = f'range="{low} {high + 0.5}" ref="{draw(NUMBERS)}"'
        parts.append(
            f'<joint type="{kind}" pos="{_text(draw(VECTORS))}" {axis} {extra} armature=".1" '
            f'damping="{abs(draw(NUMBERS))}" stiffness="{abs(draw(NUMBERS))}"/>'
        )
    return "".join(parts)


@st.composite
def _geoms(draw):
    parts = []
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(st.sampled_from(["sphere", "capsule", "box", "cylinder", "ellipsoid"]))
        size = _text(draw(st.lists(SIZES, min_size=3, max_size=3)))
        place = f'pos="{_text(draw(VECTORS))}" quat="{_text(draw(QUATS))}"'
        mask = f'contype="{draw(st.integers(0, 3))}" conaffinity="{draw(st.integers(0, 3))}"'
        parts.append(f'<geom type="{kind}" size="{size}" {place} {mask}/>')
    return "".join(parts)


@st.composite
def _bodies(draw, depth=0):
    inner = draw(_joints()) + draw(_geoms())
    if draw(st.booleans()):
        inner = f'<frame pos="{_text(draw(VECTORS))}" quat="{_text(draw(QUATS))}">{inner}</frame>'
    for _ in range(draw(st.integers(0, 2)) if depth < 2 else 0):
        inner += draw(_bodies(depth=depth + 1))
    return f'<body pos="{_text(draw(VECTORS))}" quat="{_text(draw(QUATS))}">{inner}</body>'


@st.composite
def models(draw):
    """MJCF text of a random tree."""
    bodies = "".join(draw(_bodies()) for _ in range(draw(st.integers(1, 2))))
    angle = draw(st.sampled_from(["radian", "degree"]))
    return f'<mujoco><compiler angle="{angle}"/><worldbody>{bodies}</worldbody></mujoco>'


@settings(max_examples=30, derandomize=True, suppress_health_check=list(HealthCheck))
@given(models())
def test_random_trees_survive(source):
    first = compile_source(source)
    stage = convert(source)
    second, _ = round_trip(stage)
    assert [str(d) for d in compare_models(first, second, tolerance=1e-12)] == []
    assert compare_trajectories(first, second, steps=5) < 1e-6
