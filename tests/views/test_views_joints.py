"""Every row of the field table of joints against NumPy: indices, masks, slices, scalars, errors."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from pxr import Gf, UsdGeom, UsdPhysics

from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.spawners import clone_environments
from usdsim.usd.stage import create_stage
from usdsim.views import FIELDS

ENVS, JOINTS = 4, 3
ROWS = sorted(name for name in FIELDS if name.startswith("joint_"))
DYNAMIC = "joint_dynamic_friction_coefficient"
STATIC = "joint_friction_coefficient"


@pytest.fixture(scope="module")
def robot():
    """A chain of three hinges in four environments."""
    stage = create_stage()
    first = "/World/envs/env_0"
    UsdGeom.Xform.Define(stage, first)
    root = UsdGeom.Xform.Define(stage, f"{first}/Robot").GetPrim()
    UsdPhysics.ArticulationRootAPI.Apply(root)
    parent = None
    for i in range(JOINTS + 1):
        path = f"{first}/Robot/link_{i}"
        link = UsdGeom.Xform.Define(stage, path)
        link.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, -i))
        UsdPhysics.RigidBodyAPI.Apply(link.GetPrim())
        mass = UsdPhysics.MassAPI.Apply(link.GetPrim())
        mass.CreateMassAttr(1.0)
        mass.CreateDiagonalInertiaAttr(Gf.Vec3f(0.1))
        kind = UsdPhysics.RevoluteJoint if parent else UsdPhysics.FixedJoint
        joint = kind.Define(stage, f"{first}/Robot/joint_{i}")
        joint.CreateBody1Rel().SetTargets([path])
        if parent:
            joint.CreateBody0Rel().SetTargets([parent])
            joint.CreateLocalPos0Attr(Gf.Vec3f(0.0, 0.0, -1.0))
        parent = path
    clone_environments(first, ENVS, 3.0, stage=stage)
    with SimulationContext(SimulationCfg(threads=1), stage) as sim:
        robot = Articulation(ArticulationCfg(prim_path="{ENV_REGEX_NS}/Robot"))
        sim.reset()
        yield robot


@pytest.fixture
def view(robot):
    view = robot.root_view
    robot.write_joint_friction_coefficient_to_sim(50.0, 0.0, 0.0)
    return view


def read(view, row: str) -> np.ndarray:
    parameter = FIELDS[row].parameter
    if parameter is not None:
        return np.array(parameter.read(view.engine, view.layout))
    store = FIELDS[row].store
    if hasattr(store, "field"):
        return np.array(view.engine.read(store.field)[:, getattr(view.layout, store.table)[0]])
    return np.array(view.buffers[store.name].numpy())


def sample(row: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Values that every domain of these rows allows, pairs in order."""
    values = np.random.default_rng(seed).uniform(0.1, 0.9, shape).astype(np.float32)
    if row == STATIC:
        values += 1.0
    return np.sort(values, axis=-1) if FIELDS[row].tail else values


def _index(rows):
    return np.asarray(rows, int) if isinstance(rows, list) else rows


def close(actual: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-7)


SELECTIONS = [
    (None, None),
    ([2, 0], None),
    (None, [1]),
    ([3, 1], [2, 0]),
    (slice(1, 3), slice(None)),
    (np.array([1]), np.array([0, 2])),
    (slice(None, None, 2), slice(1, None)),
    ([], None),
]


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("rows, columns", SELECTIONS)
def test_a_selection_is_written_and_nothing_else(view, row, rows, columns):
    before = read(view, row)
    env = np.arange(ENVS)[slice(None) if rows is None else _index(rows)]
    joint = np.arange(JOINTS)[slice(None) if columns is None else columns]
    values = sample(row, (len(env), len(joint), *FIELDS[row].tail))
    view.write(row, values, rows, columns)
    expected = before.copy()
    expected[np.ix_(env, joint)] = values
    close(read(view, row), expected)


@pytest.mark.parametrize("row", ROWS)
def test_masks_take_values_of_all(view, row):
    before = read(view, row)
    values = sample(row, (ENVS, JOINTS, *FIELDS[row].tail), 1)
    env, joint = np.array([True, False, True, False]), np.array([False, True, True])
    view.write_masked(row, values, wp.array(env, dtype=wp.bool), joint)
    expected = before.copy()
    expected[np.ix_(env, joint)] = values[np.ix_(env, joint)]
    close(read(view, row), expected)


@pytest.mark.parametrize("row", ROWS)
def test_full_data_is_picked_from(view, row):
    before = read(view, row)
    values = sample(row, (ENVS, JOINTS, *FIELDS[row].tail), 2)
    view.write(row, values, [1, 3], [0, 2], full_data=True)
    expected = before.copy()
    expected[np.ix_([1, 3], [0, 2])] = values[np.ix_([1, 3], [0, 2])]
    close(read(view, row), expected)


@pytest.mark.parametrize("row", ROWS)
def test_numbers_and_rows_broadcast(view, row):
    tail = FIELDS[row].tail
    one = sample(row, (1, 1, *tail), 3)[0, 0]
    view.write(row, one if tail else float(one), [1])
    close(read(view, row)[1], np.broadcast_to(one, (JOINTS, *tail)))
    per_joint = sample(row, (JOINTS, *tail), 4)
    view.write(row, per_joint)
    close(read(view, row), np.broadcast_to(per_joint, (ENVS, JOINTS, *tail)))


@pytest.mark.parametrize("row", ROWS)
def test_warp_arrays_and_lists_are_taken(view, row):
    values = sample(row, (ENVS, JOINTS, *FIELDS[row].tail), 5)
    dtype = wp.vec2f if FIELDS[row].tail else wp.float32
    view.write(row, wp.array(values, dtype=dtype, device="cpu"))
    close(read(view, row), values)
    view.write(row, values[::-1].tolist())
    close(read(view, row), values[::-1])


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize(
    "values, rows, columns, error",
    [
        ("nan", None, None, InvalidValueError),
        ("short", None, None, ShapeError),
        ("words", None, None, InvalidValueError),
        ("good", [ENVS], None, InvalidValueError),
        ("good", None, [-1], InvalidValueError),
        ("good", [0.5], None, InvalidValueError),
        ("good", [0, 0], None, InvalidValueError),
        ("good", np.zeros(2, bool), None, ShapeError),
    ],
)
def test_a_refused_write_changes_nothing(view, row, values, rows, columns, error):
    tail = FIELDS[row].tail
    given = {
        "nan": np.full((ENVS, JOINTS, *tail), np.nan),
        "short": np.full((ENVS - 1, JOINTS, *tail), 0.5),
        "words": np.full((ENVS, JOINTS, *tail), "a"),
        "good": 0.5,
    }[values]
    before = read(view, row)
    with pytest.raises(error):
        view.write(row, given, rows, columns)
    np.testing.assert_array_equal(read(view, row), before)


POSITIVE = [
    row for row in ROWS if FIELDS[row].domain.words.startswith(("finite numbers, 0", "num"))
]


@pytest.mark.parametrize("row", POSITIVE)
def test_negative_properties_are_refused(view, row):
    before = read(view, row)
    with pytest.raises(InvalidValueError, match="joint_2 in instance 1"):
        bad = sample(row, (ENVS, JOINTS))
        bad[1, 1] = -0.1
        view.write(row, bad)
    np.testing.assert_array_equal(read(view, row), before)


@pytest.mark.parametrize("row", ROWS)
def test_what_is_not_selected_of_full_data_may_be_anything(view, row):
    """Worlds that failed have no good values, and are left out by a mask."""
    if row == DYNAMIC:
        view.write(STATIC, 50.0)
    values = sample(row, (ENVS, JOINTS, *FIELDS[row].tail))
    expected = read(view, row)
    expected[1:, 1:] = values[1:, 1:]
    values[0] = values[:, 0] = np.nan
    view.write_masked(row, values, np.arange(ENVS) > 0, np.arange(JOINTS) > 0)
    np.testing.assert_allclose(read(view, row), expected, rtol=1e-6)
    view.write(row, values, slice(1, None), [1, 2], full_data=True)
    np.testing.assert_allclose(read(view, row), expected, rtol=1e-6)
    values[2, 2] = np.nan
    with pytest.raises(InvalidValueError, match="in instance 2 is"):
        view.write_masked(row, values, np.arange(ENVS) > 0, np.arange(JOINTS) > 0)
    np.testing.assert_allclose(read(view, row), expected, rtol=1e-6)


def test_one_bad_mask_is_refused(view):
    for mask, error in ((np.zeros(ENVS, int), InvalidValueError), (np.ones(2, bool), ShapeError)):
        with pytest.raises(error):
            view.write_masked("joint_stiffness", 1.0, mask)


def test_limits_out_of_order_are_refused(view):
    before = read(view, "joint_position_limit")
    with pytest.raises(InvalidValueError):
        view.write("joint_position_limit", [0.5, -0.5])
    np.testing.assert_array_equal(read(view, "joint_position_limit"), before)


@pytest.mark.parametrize("row", ["joint_position_limit", "joint_velocity_limit"])
def test_no_limit_is_infinite(view, row):
    none = [-np.inf, np.inf] if FIELDS[row].tail else np.inf
    view.write(row, none, [2])
    assert np.isinf(read(view, row)[2]).all()


def test_one_sided_limits(view):
    view.write("joint_position_limit", [-np.inf, 0.25])
    limits = read(view, "joint_position_limit")
    assert np.isneginf(limits[..., 0]).all() and (limits[..., 1] == 0.25).all()
