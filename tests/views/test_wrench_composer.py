"""External wrenches against NumPy, and against what they do to bodies."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine import CpuEngine, compile_scene, device
from usdsim.engine.arrays import WarpArrays
from usdsim.parser.description import BodyDescription, SceneDescription
from usdsim.views.wrench.applied import AppliedWrenches
from usdsim.views.wrench.composer import WrenchComposer

device.init()

COUNT, BODIES = 4, 3
NOTHING = np.zeros((COUNT, BODIES, 3))


def matrix(quat):
    """Rotation matrix of an xyzw quaternion."""
    x, y, z, w = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Bodies:
    """Bodies whose poses are what the test says."""

    def __init__(self, seed=0):
        random = np.random.default_rng(seed)
        self.poses = random.normal(size=(COUNT, BODIES, 7))
        self.poses[..., 3:] /= np.linalg.norm(self.poses[..., 3:], axis=-1, keepdims=True)
        self.com_b = random.normal(size=(COUNT, BODIES, 3))
        self.link, self.com = (
            wp.zeros((COUNT, BODIES), dtype=kind, device="cpu")
            for kind in (wp.transformf, wp.vec3f)
        )
        self.place()

    def place(self):
        self.link.numpy()[...] = self.poses
        self.com.numpy()[...] = self.com_w

    @property
    def rotations(self):
        return np.array([[matrix(q) for q in row] for row in self.poses[..., 3:]])

    @property
    def com_w(self):
        return self.poses[..., :3] + np.einsum("ijkl,ijl->ijk", self.rotations, self.com_b)

    def __call__(self):
        return self.link, self.com


class Reference:
    """A list of loads per body, composed one by one."""

    def __init__(self, bodies):
        self.bodies = bodies
        self.loads = {(i, j): [] for i in range(COUNT) for j in range(BODIES)}

    def give(self, cell, force, torque, position, is_global, replaces=False):
        if replaces:
            self.loads[cell] = []
        self.loads[cell].append((force, torque, position, is_global))

    def composed(self):
        """Forces and torques in world and in link frames, each (COUNT, BODIES, 3)."""
        force, torque = np.zeros((2, COUNT, BODIES, 3))
        rotations, coms = self.bodies.rotations, self.bodies.com_w
        for cell, loads in self.loads.items():
            turn, origin = rotations[cell], self.bodies.poses[cell][:3]
            for f, t, p, is_global in loads:
                f_w, t_w = (f, t) if is_global else (turn @ f, turn @ t)
                force[cell] += f_w
                torque[cell] += t_w
                if p is not None:
                    point = p if is_global else origin + turn @ p
                    torque[cell] += np.cross(point - coms[cell], f_w)
        back = np.swapaxes(rotations, -1, -2)
        in_link = [np.einsum("ijkl,ijl->ijk", back, v) for v in (force, torque)]
        return [force, torque, *in_link]


def composer(bodies=None):
    return WrenchComposer(COUNT, BODIES, "cpu", bodies or Bodies())


def outputs(wrenches):
    arrays = wrenches.force_w, wrenches.torque_w, wrenches.out_force_b, wrenches.out_torque_b
    return [array.numpy().copy() for array in arrays]


def agree(wrenches, reference, atol=2e-5):
    for found, expected in zip(outputs(wrenches), reference.composed(), strict=True):
        assert np.allclose(found, expected, rtol=1e-5, atol=atol)


@pytest.mark.parametrize("is_global", [False, True])
@pytest.mark.parametrize("given", ["f", "t", "ft", "fp", "ftp"])
def test_every_input_is_what_numpy_finds(given, is_global):
    bodies = Bodies()
    wrenches, reference = composer(bodies), Reference(bodies)
    random = np.random.default_rng(1)
    f, t, p = random.normal(size=(3, COUNT, BODIES, 3))
    wrenches.add_forces_and_torques_index(
        forces=f if "f" in given else None,
        torques=t if "t" in given else None,
        positions=p if "p" in given else None,
        is_global=is_global,
    )
    for cell in reference.loads:
        force = f[cell] if "f" in given else np.zeros(3)
        torque = t[cell] if "t" in given else np.zeros(3)
        reference.give(cell, force, torque, p[cell] if "p" in given else None, is_global)
    agree(wrenches, reference)
    assert (wrenches.composed_force.numpy() == wrenches.out_force_b.numpy()).all()
    assert (wrenches.composed_torque.numpy() == wrenches.out_torque_b.numpy()).all()


def test_what_is_given_in_link_axes_is_told_unrounded():
    wrenches = composer(Bodies())
    ones = np.ones((COUNT, BODIES, 3))
    wrenches.set_forces_and_torques_index(forces=ones, torques=3.0 * ones)
    assert (wrenches.out_force_b.numpy() == 1.0).all()
    assert (wrenches.out_torque_b.numpy() == 3.0).all()


def test_many_writes_at_changing_poses_and_selections():
    bodies = Bodies()
    wrenches, reference = composer(bodies), Reference(bodies)
    random = np.random.default_rng(2)
    for _ in range(60):
        rows = random.permutation(COUNT)[: random.integers(1, COUNT + 1)]
        columns = random.permutation(BODIES)[: random.integers(1, BODIES + 1)]
        is_global, replaces, at_points, masked = random.random(4) < 0.5
        shape = (COUNT, BODIES, 3) if masked else (len(rows), len(columns), 3)
        f, t, p = random.normal(size=(3, *shape))
        action = "set" if replaces else "add"
        method = f"{action}_forces_and_torques_{'mask' if masked else 'index'}"
        selection = {"env_ids": rows, "body_ids": columns}
        if masked:
            selection = {
                "env_mask": np.isin(np.arange(COUNT), rows),
                "body_mask": np.isin(np.arange(BODIES), columns),
            }
        points = p if at_points else None
        getattr(wrenches, method)(f, t, points, is_global=bool(is_global), **selection)
        for a, i in enumerate(rows):
            for b, j in enumerate(columns):
                at = (i, j) if masked else (a, b)
                point = p[at] if at_points else None
                reference.give((i, j), f[at], t[at], point, is_global, replaces)
        agree(wrenches, reference, atol=1e-4)
        bodies.poses = Bodies(random.integers(1000)).poses
        bodies.place()


def test_world_forces_keep_their_direction_and_link_forces_turn_with_the_body():
    bodies = Bodies()
    in_world, in_link = composer(bodies), composer(bodies)
    force = np.array([1.0, 2.0, 3.0])
    in_world.set_forces_and_torques(force, is_global=True)
    in_link.set_forces_and_torques(force)
    for seed in (3, 4):
        bodies.poses = Bodies(seed).poses
        bodies.place()
        assert in_world.force_w.numpy() == pytest.approx(np.broadcast_to(force, NOTHING.shape))
        assert in_link.out_force_b.numpy() == pytest.approx(
            np.broadcast_to(force, NOTHING.shape), rel=1e-5
        )
        assert not in_world.torque_w.numpy().any()


def test_a_world_point_stays_where_it_is_when_the_body_moves_on():
    bodies = Bodies()
    wrenches = composer(bodies)
    point, force = np.array([0.5, 0.0, 0.0]), np.array([0.0, 0.0, 2.0])
    wrenches.add_forces_and_torques_index(force, None, point, is_global=True)
    bodies.poses[..., 0] += 7.0
    bodies.place()
    expected = np.cross(point - bodies.com_w, np.broadcast_to(force, NOTHING.shape))
    assert wrenches.torque_w.numpy() == pytest.approx(expected, abs=1e-5)


def test_points_far_from_the_origin_keep_their_lever():
    bodies = Bodies()
    bodies.poses[..., :3] += [150.0, -120.0, 0.0]
    bodies.place()
    wrenches, reference = composer(bodies), Reference(bodies)
    force = np.array([3.0, 2.0, 10.0])
    points = bodies.com_w + np.array([0.1, 0.2, 0.0])
    wrenches.add_forces_and_torques_index(force, None, points, is_global=True)
    for cell in reference.loads:
        reference.give(cell, force, np.zeros(3), points[cell], True)
    agree(wrenches, reference, atol=1e-3)


def test_set_leaves_what_is_not_selected_alone():
    wrenches = composer()
    wrenches.add_forces_and_torques_index(np.ones(3), np.ones(3), is_global=True)
    wrenches.set_forces_and_torques_index(5 * np.ones(3), None, None, [1], [2, 0], True)
    expected = np.ones((COUNT, BODIES, 3))
    expected[[2, 0], 1] = 5.0
    assert (wrenches.force_w.numpy() == expected).all()
    # Setting forces alone takes the torques of the selection away.
    expected[[2, 0], 1] = 0.0
    expected[[1, 3]] = 1.0
    assert (wrenches.torque_w.numpy() == expected).all()


def test_reset_of_some_keeps_the_others_and_stays_active():
    wrenches = composer()
    wrenches.add_forces_and_torques_index(np.ones(3), is_global=True)
    wrenches.reset(env_ids=[1])
    assert wrenches.active
    expected = np.ones((COUNT, BODIES, 3))
    expected[1] = 0.0
    assert (wrenches.force_w.numpy() == expected).all()
    wrenches.reset([0], env_mask=np.array([False, False, False, True]))  # the mask wins
    expected[3] = 0.0
    assert (wrenches.force_w.numpy() == expected).all()
    wrenches.reset(env_ids=[])
    assert (wrenches.force_w.numpy() == expected).all()
    wrenches.reset()
    assert not wrenches.active
    assert not any(array.any() for array in outputs(wrenches))


def test_it_is_active_once_anything_was_given():
    wrenches = composer()
    assert not wrenches.active
    wrenches.add_forces_and_torques_index(np.ones(3), env_ids=[])
    assert not wrenches.active
    with pytest.warns(UserWarning, match="nothing changes"):
        wrenches.set_forces_and_torques_index(positions=np.ones(3))
    assert not wrenches.active
    wrenches.set_forces_and_torques_mask(torques=np.zeros(3))
    assert wrenches.active


def test_arrays_of_warp_are_taken_as_they_are():
    values = np.random.default_rng(0).normal(size=(COUNT, BODIES, 3)).astype(np.float32)
    wrenches = composer()
    wrenches.add_forces_and_torques_index(wp.array(values, dtype=wp.vec3f), is_global=True)
    wrenches.add_forces_and_torques_index(wp.array(values, dtype=wp.float32), is_global=True)
    assert wrenches.force_w.numpy() == pytest.approx(2 * values)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"forces": np.full(3, np.nan)}, InvalidValueError, "forces"),
        ({"torques": np.full(3, np.inf)}, InvalidValueError, "torques"),
        ({"forces": np.ones(3), "positions": np.full(3, np.nan)}, InvalidValueError, "positions"),
        ({"forces": np.ones((2, 3, 3))}, ShapeError, r"\(4, 3, 3\)"),
        ({"forces": np.ones((4, 3, 2))}, ShapeError, r"\(4, 3, 3\)"),
        ({"forces": "much"}, InvalidValueError, "real numbers"),
        ({"forces": np.ones(3), "env_ids": [4]}, InvalidValueError, "env_ids.*0 to 3"),
        ({"forces": np.ones(3), "body_ids": [0, 0]}, InvalidValueError, "body_ids"),
    ],
)
@pytest.mark.parametrize("action", ["add", "set"])
def test_what_is_refused_changes_nothing(action, given, error, words):
    wrenches = composer()
    wrenches.add_forces_and_torques_index(np.ones(3), np.ones(3), is_global=True)
    with pytest.raises(error, match=words):
        getattr(wrenches, f"{action}_forces_and_torques_index")(**given)
    assert (wrenches.slots.numpy()[3] == 1.0).all() and (wrenches.slots.numpy()[5] == 1.0).all()
    assert not wrenches.slots.numpy()[[0, 1, 2, 4]].any()


def test_what_a_mask_leaves_out_may_be_anything():
    forces = np.ones((COUNT, BODIES, 3))
    forces[0] = np.nan
    wrenches = composer()
    wrenches.add_forces_and_torques_mask(forces, env_mask=np.arange(COUNT) > 0, is_global=True)
    np.testing.assert_array_equal(wrenches.force_w.numpy(), np.nan_to_num(forces))
    forces[2, 1] = np.nan
    with pytest.raises(InvalidValueError, match="forces of body 1 in instance 2 is nan"):
        wrenches.add_forces_and_torques_mask(forces, env_mask=np.arange(COUNT) > 0)


@pytest.mark.parametrize(
    ("mask", "error"), [(np.ones(3, bool), ShapeError), ([0, 1, 2, 3], InvalidValueError)]
)
def test_masks_are_checked(mask, error):
    with pytest.raises(error, match="env_mask"):
        composer().add_forces_and_torques_mask(np.ones(3), env_mask=mask)
    with pytest.raises(ShapeError, match=r"\(4, 3, 3\)"):
        composer().add_forces_and_torques_mask(
            np.ones((1, 2, 3)), body_mask=np.array([True, True, False])
        )


def test_what_was_given_is_there_in_the_frame_it_was_given_in():
    force, at_point, torque, point = np.random.default_rng(1).normal(size=(4, COUNT, BODIES, 3))
    wrenches = composer()
    for is_global in (False, True):
        wrenches.add_forces_and_torques_index(force, torque, is_global=is_global)
        wrenches.add_forces_and_torques_index(at_point, None, point, is_global=is_global)
    turning = torque + np.cross(point, at_point)
    assert wrenches.local_force_b.numpy() == pytest.approx(force + at_point, abs=1e-5)
    assert wrenches.local_torque_b.numpy() == pytest.approx(turning, abs=1e-5)
    assert wrenches.global_force_at_com_w.numpy() == pytest.approx(force, abs=1e-5)
    assert wrenches.global_force_w.numpy() == pytest.approx(at_point, abs=1e-5)
    assert wrenches.global_torque_w.numpy() == pytest.approx(turning, abs=1e-5)


@pytest.mark.parametrize("action", ["add", "set"])
def test_positions_do_not_change_torques_alone(action):
    torque, point = np.random.default_rng(2).normal(size=(2, COUNT, BODIES, 3))
    with_points, without = composer(), composer()
    getattr(with_points, f"{action}_forces_and_torques_index")(None, torque, point)
    getattr(without, f"{action}_forces_and_torques_index")(None, torque)
    np.testing.assert_array_equal(with_points.slots.numpy(), without.slots.numpy())
    assert without.slots.numpy().any()


def test_one_composer_takes_what_another_was_given():
    values = np.random.default_rng(3).normal(size=(4, COUNT, BODIES, 3))
    first, second, both = composer(), composer(), composer()
    for one in (first, both):
        one.add_forces_and_torques_index(values[0], None, values[1])
    for one in (second, both):
        one.add_forces_and_torques_index(values[2], values[3], values[1], is_global=True)
    idle = composer()
    idle.add_raw_buffers_from(composer())
    assert not idle.active
    idle.add_raw_buffers_from(first)
    assert idle.active
    first.add_raw_buffers_from(second)
    assert first.slots.numpy() == pytest.approx(both.slots.numpy(), abs=1e-5)
    with pytest.raises(ShapeError, match=r"\(4, 2\).*\(4, 3\)"):
        first.add_raw_buffers_from(WrenchComposer(COUNT, 2, "cpu", Bodies()))


# -- in the engine --------------------------------------------------------------------------------

MASS, GRAVITY, WORLDS = 2.0, 9.81, 2


class Flying:
    """Two pairs of free bodies in two worlds: four instances of an asset with two bodies."""

    def __init__(self, gravity=0.0, com=0.1):
        bodies = [
            BodyDescription(
                path=f"/b{k}",
                mass=MASS,
                inertia=np.array([0.1, 0.2, 0.3]),
                com=np.array([com, 0.0, 0.0]),
            )
            for k in range(5)
        ]
        described = SceneDescription(bodies=tuple(bodies), gravity=np.array([0, 0, -gravity]))
        self.engine = CpuEngine(compile_scene(described), num_envs=WORLDS)
        self.table = np.array([[1, 4], [5, 2]])  # engine ids; 3 belongs to nobody
        self.arrays = WarpArrays(self.engine)
        self.permanent, self.instantaneous = (
            WrenchComposer(2 * WORLDS, 2, "cpu", self.poses) for _ in range(2)
        )
        self.applied = AppliedWrenches(self.arrays, self.table, self.permanent, self.instantaneous)
        self.link = wp.zeros((4, 2), dtype=wp.transformf, device="cpu")
        self.com = wp.zeros((4, 2), dtype=wp.vec3f, device="cpu")

    def of(self, field):
        """An engine field by instance and body."""
        values = self.engine.read(field)
        return np.array([[values[i // 2, b] for b in self.table[i % 2]] for i in range(4)])

    def velocities(self):
        """Of the asset's bodies, shape (worlds, matches, bodies, 6)."""
        return self.engine.read("qvel").reshape(WORLDS, 5, 6)[:, self.table - 1]

    def poses(self):
        self.link.numpy()[...] = np.concatenate(
            [self.of("xpos"), np.roll(self.of("xquat"), -1, axis=-1)], axis=-1
        )
        self.com.numpy()[...] = self.of("xipos")
        return self.link, self.com

    def step(self, count=1):
        for _ in range(count):
            self.applied.write()
            self.engine.step()


def test_the_weight_of_a_body_holds_it_and_only_it():
    flying = Flying(GRAVITY)
    weight = np.array([0.0, 0.0, MASS * GRAVITY])
    flying.permanent.set_forces_and_torques(weight, body_ids=[1], env_ids=[0, 3], is_global=True)
    flying.step(100)
    height = flying.of("xpos")[..., 2]
    held = np.array([[False, True], [False, False], [False, False], [False, True]])
    assert height[held] == pytest.approx(0.0, abs=1e-6)
    assert (height[~held] < -0.1).all()
    assert (flying.engine.read("xpos")[:, 3, 2] < -0.1).all()


def test_forces_act_as_newton_says_with_both_composers_summed():
    flying = Flying()
    flying.permanent.add_forces_and_torques(np.array([1.0, 0.0, 0.0]), is_global=True)
    flying.instantaneous.add_forces_and_torques(np.array([0.0, 2.0, 0.0]), is_global=True)
    flying.step()
    assert not flying.instantaneous.active
    flying.step(49)
    speed = np.array([50 * 0.002 / MASS, 0.002 * 2.0 / MASS, 0.0])
    found = flying.velocities()[..., :3]
    assert found == pytest.approx(np.broadcast_to(speed, found.shape), rel=1e-4, abs=1e-9)


def test_a_force_beside_the_centre_of_mass_turns_the_body():
    flying = Flying()
    # 0.3 m from the link's origin is 0.2 m from the centre of mass.
    flying.instantaneous.add_forces_and_torques(
        np.array([0.0, 5.0, 0.0]), None, np.array([0.3, 0.0, 0.0])
    )
    flying.step()
    spin = flying.velocities()[..., 3:]
    expected = np.array([0.0, 0.0, 0.002 * 0.2 * 5.0 / 0.3])
    assert spin == pytest.approx(np.broadcast_to(expected, spin.shape), rel=1e-5, abs=1e-9)


def test_what_was_applied_goes_when_nothing_is_active():
    flying = Flying()
    flying.engine.write("xfrc_applied", 1.0, ids=[3])
    flying.step()
    flying.instantaneous.add_forces_and_torques(np.ones(3), np.ones(3))
    flying.step()
    applied = flying.engine.read("xfrc_applied")
    assert applied[:, [1, 2, 4, 5]] == pytest.approx(1.0)
    flying.step()
    assert not applied[:, [1, 2, 4, 5]].any()
    assert (applied[:, 3] == 1.0).all()  # somebody else's
    flying.engine.write("xfrc_applied", 7.0)
    flying.step()
    assert (flying.engine.read("xfrc_applied") == 7.0).all()


def test_forces_follow_what_was_applied_without_a_step():
    flying = Flying()
    assert not flying.engine.read("qacc").any()
    flying.permanent.add_forces_and_torques(np.array([0.0, 0.0, 4.0]), body_ids=[0], env_ids=[1])
    flying.applied.write()
    acceleration = flying.engine.read("qacc").reshape(WORLDS, 5, 6)
    assert np.argwhere(acceleration[..., 2] > 1.0).tolist() == [[0, 4]]


def test_it_goes_on_after_the_engine_replaced_its_arrays():
    flying = Flying(com=0.0)
    flying.permanent.add_forces_and_torques(np.array([0.0, 0.0, 4.0]), is_global=True)
    flying.step()
    before = flying.engine.versions.arrays
    flying.engine.set_param("body_ipos", [0.0, 0.2, 0.0])
    assert flying.engine.versions.arrays > before
    flying.permanent.set_forces_and_torques(np.array([0.0, 0.0, 5.0]), is_global=True)
    flying.step()
    assert flying.engine.read("xfrc_applied")[:, flying.table, 2] == pytest.approx(5.0)
