"""Rows of roots and bodies: every way of selecting against NumPy, in every kind of root."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.core.errors import InvalidValueError, ShapeError, StageError, UnknownNameError
from usdsim.engine import CpuEngine, compile_scene
from usdsim.math.rotations import quat_apply, quat_from_axis_angle
from usdsim.math.transforms import Pose
from usdsim.parser.description import (
    BodyDescription,
    DofDescription,
    JointDescription,
    SceneDescription,
)
from usdsim.views import FIELDS, AssetLayout, AssetView, Quantity, kernels
from usdsim.views.layout import FIXED, FREE, MOCAP, root_rows
from usdsim.views.quantity import Components, Computed, Launched, Stored

WORLDS, MATCHES, ROOTS = 4, 2, 3
COM = np.array([0.03, -0.02, 0.05])
ROWS = WORLDS * MATCHES


def _body(path: str, **values) -> BodyDescription:
    quat = quat_from_axis_angle([0.0, 0.6, 0.8], 0.7)
    values.setdefault("initial_pose_w", Pose())
    return BodyDescription(
        path=path, mass=2.0, com=COM, inertia=np.array([0.02, 0.03, 0.04]), inertia_quat=quat,
        **values,
    )  # fmt: skip


def _scene() -> SceneDescription:
    """Two matches of three roots each: a free body, a kinematic one, one fixed to the world."""
    bodies, joints = [], []
    for match in ("A", "B"):
        at = Pose(np.array([1.0, 2.0, 3.0]), quat_from_axis_angle([1.0, 0.0, 0.0], 0.3))
        bodies += [_body(f"/{match}/free"), _body(f"/{match}/kinematic", kinematic=True)]
        joints.append(
            JointDescription(
                path=f"/{match}/weld", kind="fixed", parent=-1, child=len(bodies), parent_frame=at
            )
        )
        bodies.append(
            _body(f"/{match}/fixed", joints=(len(joints) - 1,), rest_pose=at, initial_pose_w=at)
        )
    return SceneDescription(bodies=tuple(bodies), joints=tuple(joints), gravity=np.zeros(3))


class Data:
    """Root quantities in the shapes of a collection."""

    pose: Quantity[wp.array] = Launched(
        kernels.link_poses, ("engine:xpos", "engine:xquat", "layout:roots"), "root", wp.transformf
    )
    com_pose_b: Quantity[wp.array] = Computed(
        lambda view: FIELDS["coms"].parameter.read(view.engine, view.layout),
        "body",
        wp.transformf,
    )
    com_pose: Quantity[wp.array] = Launched(
        kernels.com_poses, ("pose", "com_pose_b"), "root", wp.transformf
    )
    com_velocity: Quantity[wp.array] = Launched(
        kernels.origin_velocities,
        ("engine:cvel", "engine:subtree_com", "engine:xipos", "layout:roots", "model:root_trees"),
        "root",
        wp.spatial_vectorf,
    )
    velocity: Quantity[wp.array] = Launched(
        kernels.origin_velocities,
        ("engine:cvel", "engine:subtree_com", "engine:xpos", "layout:roots", "model:root_trees"),
        "root",
        wp.spatial_vectorf,
    )
    position: Quantity[wp.array] = Components("pose", 0, wp.vec3f)

    def __init__(self, view: AssetView):
        self._view = view


READ = {
    "pose": "pose",
    "link_pose": "pose",
    "com_pose": "com_pose",
    "velocity": "com_velocity",
    "com_velocity": "com_velocity",
    "link_velocity": "velocity",
}
COMPILED = compile_scene(_scene())


def make_view(kinds=(0, 1, 2)) -> AssetView:
    engine = CpuEngine(COMPILED, WORLDS, threads=1)
    names = ("free", "kinematic", "fixed")
    bodies = [
        [COMPILED.names.index("body", f"/{match}/{names[k]}") for k in kinds] for match in "AB"
    ]
    chosen = tuple(names[k] for k in kinds)
    layout = AssetLayout(
        title="things", num_worlds=WORLDS, bodies=np.array(bodies, np.int32), body_names=chosen,
        root_names=chosen, **root_rows(COMPILED, bodies),
    )  # fmt: skip
    return AssetView(engine, layout, Data, flat=False)


def random_values(field: str, shape, seed=0) -> np.ndarray:
    width = FIELDS[field].tail[0]
    rows = np.random.default_rng(seed).normal(size=(*shape, width))
    if width != 6:
        rows[..., 3:7] /= np.linalg.norm(rows[..., 3:7], axis=-1, keepdims=True)
    return rows.astype(np.float32)


def read(view: AssetView, kind: str) -> np.ndarray:
    return getattr(Data(view), READ[kind]).numpy().copy()


def same(found: np.ndarray, expected: np.ndarray) -> None:
    """Equal, with quaternions of either sign."""
    if found.shape[-1] == 7:
        sign = np.sign((found[..., 3:] * expected[..., 3:]).sum(-1, keepdims=True))
        found = np.concatenate([found[..., :3], sign * found[..., 3:]], axis=-1)
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_roots_are_of_three_kinds():
    layout = make_view().layout
    np.testing.assert_array_equal(layout.root_kinds, [[FREE, MOCAP, FIXED]] * 2)


def test_a_body_on_a_joint_is_no_root():
    parent, child = _body("/base"), _body("/arm", parent=0, joints=(0,))
    dof = DofDescription(path="/hinge", kind="hinge")
    joint = JointDescription(path="/hinge", kind="revolute", parent=0, child=1, dofs=(dof,))
    compiled = compile_scene(SceneDescription(bodies=(parent, child), joints=(joint,)))
    with pytest.raises(StageError, match="/arm hangs on /base"):
        root_rows(compiled, [[compiled.names.index("body", "/arm")]])


@pytest.mark.parametrize("kind", READ)
@settings(max_examples=25)
@given(data=st.data())
def test_any_selection_writes_what_numpy_would(kind, data):
    """Indices, slices, masks and everything, for instances and for elements."""
    field = f"object_{kind}"
    view = make_view((0,) if "velocity" in kind else (0, 1, 2))
    count = view.layout.num_roots
    expected = random_values(field, (ROWS, count), 1)
    view.write(field, expected)
    rows, as_rows = data.draw(_selection(ROWS))
    ids, as_ids = data.draw(_selection(count))
    where = np.ix_(as_rows, as_ids)
    full = data.draw(st.booleans())
    values = random_values(field, (ROWS, count) if full else (len(as_rows), len(as_ids)), 2)
    view.write(field, values, rows, ids, full_data=full)
    expected[where] = values[where] if full else values
    same(read(view, kind), expected)


@pytest.mark.parametrize("kind", READ)
@settings(max_examples=15)
@given(
    env_mask=st.lists(st.booleans(), min_size=ROWS, max_size=ROWS),
    mask=st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_any_masks_write_what_numpy_would(kind, env_mask, mask):
    field = f"object_{kind}"
    view = make_view((0,) if "velocity" in kind else (0, 1, 2))
    count = view.layout.num_roots
    before, values = (random_values(field, (ROWS, count), seed) for seed in (1, 2))
    view.write(field, before)
    view.write_masked(field, values, env_mask, mask[:count])
    chosen = np.outer(env_mask, mask[:count])
    same(read(view, kind), np.where(chosen[..., None], values, before))


@st.composite
def _selection(draw, count):
    """A selection as a caller gives it, and as indices."""
    kind = draw(st.sampled_from(["all", "slice", "list", "array", "warp", "mask"]))
    if kind == "all":
        return None, np.arange(count)
    if kind == "slice":
        cut = slice(draw(st.integers(0, count)), None, draw(st.integers(1, 2)))
        return cut, np.arange(count)[cut]
    if kind == "mask":
        flags = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))
        return flags, np.flatnonzero(flags)
    ids = draw(st.lists(st.integers(0, count - 1), unique=True, max_size=count))
    array = np.array(ids, dtype=np.int32)
    if kind == "list":
        return ids, array
    if kind == "warp" and ids:
        return wp.array(array, dtype=wp.int32, device="cpu"), array
    return array, array


@pytest.mark.parametrize("kind", ["state", "link_state", "com_state"])
def test_states_are_poses_and_velocities_at_once(kind):
    view = make_view((0,))
    values = random_values(f"object_{kind}", (ROWS, 1))
    view.write(f"object_{kind}", values)
    pose = {"state": "pose"}.get(kind, kind.replace("state", "pose"))
    velocity = {"state": "velocity"}.get(kind, kind.replace("state", "velocity"))
    same(read(view, pose), values[..., :7])
    same(read(view, velocity), values[..., 7:])


def test_values_broadcast_over_instances_and_roots():
    view = make_view()
    pose = random_values("object_pose", ())
    for values in (pose, pose[None], pose[None, None], wp.transformf(*pose.tolist())):
        view.write("object_pose", [0, 0, 0, 0, 0, 0, 1])
        view.write("object_pose", np.array(values))
        same(read(view, "pose"), np.broadcast_to(pose, (ROWS, ROOTS, 7)))
    view.write("object_pose", wp.array(np.tile(pose, (ROWS, ROOTS, 1)), dtype=wp.transformf))
    same(read(view, "pose"), np.broadcast_to(pose, (ROWS, ROOTS, 7)))
    view = make_view((0,))
    view.write("object_velocity", 2.0)
    same(read(view, "velocity"), np.full((ROWS, 1, 6), 2.0, np.float32))


def test_one_root_needs_no_axis_for_it():
    view = make_view((0,))
    rows = random_values("root_pose", (ROWS,))
    view.write("root_pose", rows)
    same(read(view, "pose")[:, 0], rows)
    view.write("root_pose", rows[[3, 1]], [1, 3])
    expected = rows.copy()
    expected[[1, 3]] = rows[[3, 1]]
    same(read(view, "pose")[:, 0], expected)


def test_a_fixed_root_stays_where_it_is_put():
    view = make_view((2,))
    rows = random_values("object_com_pose", (ROWS, 1))
    view.write("object_com_pose", rows)
    view.engine.step(20)
    same(read(view, "com_pose"), rows)
    view.engine.reset()
    same(read(view, "com_pose"), rows)


# -- what is read is current -----------------------------------------------------------------------


def test_quantities_follow_every_change_of_the_engine():
    view = make_view()
    data, engine = Data(view), view.engine
    values = random_values("object_pose", (ROWS, ROOTS))
    array = data.position
    view.write("object_pose", values)
    np.testing.assert_allclose(data.position.numpy(), values[..., :3], atol=1e-6)
    view.write("object_velocity", [[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]], None, [0])
    step = float(engine.param("opt.timestep")[0])
    engine.step(10, env_ids=[1])
    moved = values[..., :3].copy()
    moved[2:4, 0, 0] += 10 * step
    np.testing.assert_allclose(data.position.numpy(), moved, atol=1e-5)
    view.write("coms", [[[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]], None, [0])
    expected = moved + 0.0
    expected[:, 0] += quat_apply(values[:, 0, 3:], [0.5, 0.0, 0.0])
    np.testing.assert_allclose(data.com_pose.numpy()[:, 0, :3], expected[:, 0], atol=1e-5)
    engine.reset([1])
    np.testing.assert_allclose(data.position.numpy()[2:4, 0], 0.0, atol=1e-6)
    assert data.position is array


def test_what_did_not_change_is_not_computed_again():
    view = make_view()
    data = Data(view)
    array = data.pose.numpy()
    array[...] = 7.0
    assert (data.pose.numpy() == 7.0).all()
    view.engine.touch()
    assert not (data.pose.numpy() == 7.0).any()


def test_acceleration_of_a_point_of_a_spinning_body_is_centripetal():
    class Points(Data):
        acceleration: Quantity[wp.array] = Launched(
            kernels.accelerations,
            (
                "engine:cdof", "engine:cdof_dot", "engine:qvel", "engine:acceleration",
                "engine:cvel", "engine:subtree_com", "engine:xpos", "model:last_dofs",
                "model:dof_parentid", "layout:roots", "model:root_trees",
            ),
            "root",
            wp.spatial_vectorf,
            version="forces",
        )  # fmt: skip

    made = make_view((0,))
    view = AssetView(made.engine, made.layout, Points, flat=False)
    # About a principal axis, so that the spin stays as it is.
    axis = quat_apply(quat_from_axis_angle([0.0, 0.6, 0.8], 0.7), [0.0, 0.0, 1.0])
    view.write("object_com_velocity", np.concatenate([[1.0, 2.0, 3.0], 5.0 * axis]))
    omega = 5.0 * axis
    expected = np.cross(omega, np.cross(omega, -COM))
    found = Points(view).acceleration.numpy()
    np.testing.assert_allclose(found[..., :3], np.broadcast_to(expected, (ROWS, 1, 3)), atol=1e-4)
    np.testing.assert_allclose(found[..., 3:], 0.0, atol=1e-4)
    view.engine.step()
    turned = Points(view)
    arm = turned.pose.numpy()[..., :3] - read(view, "com_pose")[..., :3]
    expected = np.cross(omega, np.cross(omega, arm))
    np.testing.assert_allclose(turned.acceleration.numpy()[..., :3], expected, atol=0.02)


# -- masses ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["masses", "coms", "inertias"])
@settings(max_examples=15)
@given(data=st.data())
def test_any_selection_of_bodies_writes_what_numpy_would(field, data):
    view = make_view()
    spec = FIELDS[field]
    expected = spec.parameter.read(view.engine, view.layout)
    rows, as_rows = data.draw(_selection(ROWS))
    ids, as_ids = data.draw(_selection(ROOTS))
    values = _bodies(field, (len(as_rows), len(as_ids)))
    view.write(field, values, rows, ids)
    expected[np.ix_(as_rows, as_ids)] = values
    found = spec.parameter.read(view.engine, view.layout)
    if field == "coms":
        return same(found, expected)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def _bodies(field: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(3)
    if field == "masses":
        return rng.uniform(0.5, 3.0, shape)
    if field == "coms":
        return random_values("object_pose", shape)
    points = rng.normal(size=(*shape, 6, 3))
    square = np.einsum("...pi,...pj->...ij", points, points)
    trace = np.trace(square, axis1=-2, axis2=-1)[..., None, None]
    return (trace * np.eye(3) - square).reshape(*shape, 9)


# -- errors ----------------------------------------------------------------------------------------

STATE = ("qpos", "qvel", "mocap_pos", "mocap_quat")
PARAMS = ("body_pos", "body_quat", "body_mass", "body_ipos", "body_iquat", "body_inertia")


def _everything(view: AssetView) -> list[np.ndarray]:
    engine = view.engine
    return [engine.read(f).copy() for f in STATE] + [engine.param(f).copy() for f in PARAMS]


@pytest.mark.parametrize(
    ("field", "values", "rows", "ids", "error", "words"),
    [
        ("object_pose", np.zeros((8, 3, 6)), None, None, ShapeError, r"\(8, 3, 7\)"),
        ("object_pose", np.zeros((2, 3, 7)), None, None, ShapeError, r"\(8, 3, 7\)"),
        ("object_pose", np.full(7, np.nan), None, None, InvalidValueError, "of free in instance 0"),
        ("object_pose", np.full(7, np.inf), [5], [2], InvalidValueError, "of fixed in instance 5"),
        ("object_pose", np.zeros(7), None, None, InvalidValueError, "unit length"),
        ("object_pose", ["x"] * 7, None, None, InvalidValueError, "real numbers"),
        ("object_pose", None, None, None, InvalidValueError, "real numbers"),
        ("object_pose", np.ones(7), [8], None, InvalidValueError, "env_ids"),
        ("object_pose", np.ones(7), [-1], None, InvalidValueError, "env_ids"),
        ("object_pose", np.ones(7), [1, 1], None, InvalidValueError, "more than once"),
        ("object_pose", np.ones(7), None, [3], InvalidValueError, "object_ids"),
        ("object_pose", np.ones(7), [True] * 7, None, ShapeError, "env_ids"),
        ("object_pose", np.ones(7), [0.5], None, InvalidValueError, "env_ids"),
        ("object_velocity", 1.0, None, None, InvalidValueError, "/A/fixed in world 0"),
        ("object_velocity", 1.0, [3], [2], InvalidValueError, "/B/fixed in world 1"),
        ("object_state", np.full(13, 0.5), None, None, InvalidValueError, "fixed"),
        ("masses", 0.0, None, None, InvalidValueError, "above 0"),
        ("masses", [[-1.0]], [2], [1], InvalidValueError, "kinematic in instance 2"),
        ("inertias", np.ones(9), None, None, InvalidValueError, "positive definite"),
        ("inertias", np.arange(9.0), None, None, InvalidValueError, "symmetric"),
        (
            "inertias", np.diag([1.0, 1.0, 3.0]).reshape(9), None, None, InvalidValueError,
            "rigid body",
        ),
        ("coms", np.ones(7), None, None, InvalidValueError, "unit length"),
        ("masse", 1.0, None, None, UnknownNameError, "masses"),
    ],
)  # fmt: skip
def test_a_refused_write_changes_nothing(field, values, rows, ids, error, words):
    view = make_view()
    before = _everything(view)
    with pytest.raises(error, match=words):
        view.write(field, values, rows, ids)
    for old, new in zip(before, _everything(view), strict=True):
        np.testing.assert_array_equal(new, old)


@pytest.mark.parametrize(
    ("env_mask", "mask", "error"),
    [
        ([True] * 7, None, ShapeError),
        (None, [True] * 4, ShapeError),
        ([1] * 8, None, InvalidValueError),
        (None, [0, 1, 0], InvalidValueError),
    ],
)
def test_masks_are_booleans_of_full_length(env_mask, mask, error):
    view = make_view()
    before = _everything(view)
    with pytest.raises(error):
        view.write_masked("object_pose", [0, 0, 0, 0, 0, 0, 1], env_mask, mask)
    for old, new in zip(before, _everything(view), strict=True):
        np.testing.assert_array_equal(new, old)


def test_a_bad_quaternion_among_states_is_refused_before_velocities_are_written():
    view = make_view((0,))
    values = random_values("object_state", (ROWS, 1))
    values[-1, 0, 3:7] = 0.0
    before = _everything(view)
    with pytest.raises(InvalidValueError, match="unit length"):
        view.write("object_state", values)
    for old, new in zip(before, _everything(view), strict=True):
        np.testing.assert_array_equal(new, old)


def test_partial_writes_leave_other_worlds_bit_identical():
    view = make_view()
    view.write("object_pose", random_values("object_pose", (ROWS, ROOTS)))
    kept = [array[[0, 2, 3]] for array in _everything(view)]
    view.write("object_pose", random_values("object_pose", (1, 2), 3), [2], [0, 2])
    view.write("object_com_velocity", random_values("object_velocity", (2, 1), 3), [2, 3], [0])
    view.write("masses", 7.0, [3], [1])
    for old, new in zip(kept, _everything(view), strict=True):
        np.testing.assert_array_equal(new[[0, 2, 3]], old)


def test_quantities_of_a_name_that_is_none():
    class Odd(Data):
        answer = 42

    view = make_view()
    view = AssetView(view.engine, view.layout, Odd)
    with pytest.raises(InvalidValueError, match="answer"):
        view.slot("answer")


def test_columns_of_engine_fields_are_those_of_the_layout():
    class Coordinates(Data):
        first: Quantity[wp.array] = Stored("qpos", "root_qpos", "root")

    made = make_view((0,))
    view = AssetView(made.engine, made.layout, Coordinates, flat=False)
    values = random_values("object_pose", (ROWS, 1))
    view.write("object_pose", values)
    np.testing.assert_array_equal(Coordinates(view).first.numpy(), values[..., 0])


@pytest.mark.parametrize(
    ("row", "good", "bad"),
    [
        ("coms", [0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0], [0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.5]),
        ("inertias", [1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0], [1.0, 0, 0, 0, 1.0, 0, 0, 0, 9.0]),
    ],
)
def test_what_is_refused_for_one_match_is_written_for_none(row, good, bad):
    view = make_view()
    fields = ("body_ipos", "body_iquat", "body_inertia")
    before = [np.array(view.engine.param(field)) for field in fields]
    values = np.broadcast_to(np.array(good, np.float32), (ROWS, ROOTS, len(good))).copy()
    values[-1, -1] = bad
    with pytest.raises(InvalidValueError, match="Nothing was written"):
        view.write(row, values)
    for field, expected in zip(fields, before, strict=True):
        np.testing.assert_array_equal(view.engine.param(field), expected)
    view.write(row, values[:-1], np.arange(ROWS - 1))
    assert not np.array_equal(view.engine.param("body_iquat"), before[1]) or row == "coms"


def _hinges() -> AssetView:
    """A hinge in each of two matches."""
    bodies, joints = [], []
    for match in ("A", "B"):
        dof = DofDescription(path=f"/{match}/hinge", kind="hinge")
        joints.append(
            JointDescription(
                path=f"/{match}/hinge", kind="revolute", parent=-1, child=len(bodies), dofs=(dof,)
            )
        )
        bodies.append(_body(f"/{match}/arm", joints=(len(joints) - 1,)))
    compiled = compile_scene(SceneDescription(bodies=tuple(bodies), joints=tuple(joints)))
    table = np.array([[0], [1]], np.int32)
    layout = AssetLayout(
        title="hinges", num_worlds=WORLDS, bodies=table + 1, joints=table, joint_names=("hinge",),
        joint_qpos=table, joint_dofs=table,
    )  # fmt: skip
    return AssetView(CpuEngine(compiled, WORLDS, threads=1), layout, Data)


def test_friction_refused_for_one_match_is_written_for_none():
    view = _hinges()
    static, dynamic = "joint_friction_coefficient", "joint_dynamic_friction_coefficient"
    view.write(static, np.linspace(1.0, 2.0, ROWS)[:, None])
    view.write(dynamic, 0.5)
    before = np.array(view.engine.joint_friction[1])
    with pytest.raises(InvalidValueError, match=r"'/B/hinge' in world 3 is 3.0"):
        view.write(dynamic, np.array([[0.1]] * (ROWS - 1) + [[3.0]]))
    np.testing.assert_array_equal(view.engine.joint_friction[1], before)
    view.write(dynamic, [[0.3], [0.4]], [1, 6])
    expected = np.full(ROWS, 0.5)
    expected[[1, 6]] = 0.3, 0.4
    np.testing.assert_allclose(
        FIELDS[dynamic].parameter.read(view.engine, view.layout)[:, 0], expected
    )
