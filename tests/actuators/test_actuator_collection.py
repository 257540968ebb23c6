"""Many groups at once do what each group does alone."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import warp as wp
from actuator_models import INPUTS, OUTPUTS, arrays, compute, numbers

from usdsim.actuators import (
    ActuatorCollection,
    DCMotorCfg,
    DelayedPDActuatorCfg,
    IdealPDActuatorCfg,
    ImplicitActuatorCfg,
    RemotizedPDActuatorCfg,
)
from usdsim.core.errors import InvalidValueError, ShapeError, UnknownNameError

pytestmark = pytest.mark.usefixtures("memory")

JOINTS = [f"{side}_{name}" for name in ("hip", "knee", "ankle") for side in ("l", "r")]
GROUPS = {
    "ankles": DelayedPDActuatorCfg(
        joint_names_expr=["._ankle"], stiffness=30.0, damping=1.0, effort_limit=9.0,
        min_delay=2, max_delay=2,
    ),
    "left": DCMotorCfg(
        joint_names_expr=["l_knee"], stiffness=50.0, damping=2.0, effort_limit=20.0,
        velocity_limit=3.0, saturation_effort=40.0,
    ),
    "hip": ImplicitActuatorCfg(joint_names_expr=["r_hip"], stiffness=20.0, damping=0.5,
                               effort_limit=4.0),
    "right": RemotizedPDActuatorCfg(
        joint_names_expr=["r_knee"], stiffness=50.0, damping=2.0,
        joint_parameter_lookup=[[-1.0, 1.0, 2.0], [1.0, 1.0, 30.0]],
    ),
}  # fmt: skip


def collect(num_envs, groups=GROUPS, **values):
    return ActuatorCollection.from_cfgs(groups, JOINTS, num_envs, "cpu", seed=0, **values)


@pytest.mark.parametrize("num_envs", [1, 5, 4096])
def test_together_as_alone(num_envs):
    on_stage = {"stiffness": numbers(num_envs, 6) ** 2, "damping": 0.7, "effort_limit": 11.0}
    collection = collect(num_envs, on_stage=on_stage)
    collection.reset()
    alone = {}
    for name, cfg in GROUPS.items():
        ids = collection.joint_ids(name)
        names = [JOINTS[i] for i in ids]
        own = {k: np.broadcast_to(v, (num_envs, 6))[:, ids] for k, v in on_stage.items()}
        alone[name] = cfg.class_type(cfg, names, ids, num_envs, "cpu", **own)
        alone[name].reset()
    for _ in range(4):
        values = {name: numbers(num_envs, 6) for name in INPUTS}
        buffers = arrays(num_envs, 6, **values)
        collection.compute(*buffers.values())
        out = {name: buffers[name].numpy() for name in OUTPUTS}
        for name, model in alone.items():
            ids = collection.joint_ids(name)
            p, v, f, q, qd = (np.ascontiguousarray(values[key][:, ids]) for key in INPUTS)
            computed, applied, action = compute(model, q, qd, p, v, f)
            np.testing.assert_array_equal(out["computed_out"][:, ids], computed)
            np.testing.assert_array_equal(out["applied_out"][:, ids], applied)
            np.testing.assert_array_equal(collection[name].computed_effort.numpy(), computed)
            np.testing.assert_array_equal(collection[name].applied_effort.numpy(), applied)
            effort = action.joint_efforts
            effort = effort if isinstance(effort, np.ndarray) else effort.numpy()
            np.testing.assert_array_equal(out["effort_cmd_out"][:, ids], effort)
        for command, target in zip(OUTPUTS[:3], INPUTS[:3], strict=True):
            for joint in (0, 1):  # a joint of no group, and a drive
                np.testing.assert_array_equal(out[command][:, joint], values[target][:, joint])
        rest = (
            on_stage["stiffness"][:, 0] * (values["pos_target"] - values["joint_pos"])[:, 0]
            + 0.7 * (values["vel_target"] - values["joint_vel"])[:, 0]
        )
        rest += values["effort_target"][:, 0]
        np.testing.assert_allclose(out["computed_out"][:, 0], rest, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(
            out["applied_out"][:, 0], np.clip(rest, -11, 11), rtol=1e-4, atol=1e-4
        )


def test_a_mapping_nobody_can_change():
    collection = collect(2)
    assert list(collection) == list(GROUPS) and len(collection) == 4
    assert collection["hip"].is_implicit_model and "left" in collection
    with pytest.raises(TypeError):
        collection["hip"] = None
    with pytest.raises(TypeError):
        del collection["hip"]
    np.testing.assert_array_equal(collection.implicit, [1, 1, 0, 0, 0, 0])
    assert collection.rest.joint_names == ["l_hip"] and collection.num_joints == 6
    assert collection.joint_ids("ankles") == [4, 5]


def test_values_of_all_joints():
    collection = collect(2, on_stage={"stiffness": np.arange(6.0), "effort_limit": 77.0})
    np.testing.assert_array_equal(
        collection.joint_values("stiffness"), [[0, 20, 50, 50, 30, 30]] * 2
    )
    np.testing.assert_array_equal(
        collection.joint_values("effort_limit_sim"), [np.float32([77, 4, 1e9, 1e9, 1e9, 1e9])] * 2
    )
    everything = {"all": ImplicitActuatorCfg(joint_names_expr=[".*"], stiffness=3.0)}
    collection = collect(2, everything)
    assert collection["all"].joint_indices == slice(None) and not collection.rest.num_joints
    np.testing.assert_array_equal(collection.joint_values("stiffness"), 3.0)


def test_parameters_changed_in_a_group_act_in_the_collection():
    collection = collect(2)
    buffers = arrays(2, 6, effort_target=np.full((2, 6), 100.0))
    collection.compute(*buffers.values())
    assert (buffers["applied_out"].numpy()[:, 4:] == 9.0).all()
    collection["ankles"].effort_limit = [[1.0, 2.0], [3.0, 4.0]]
    collection.compute(*buffers.values())
    np.testing.assert_array_equal(buffers["applied_out"].numpy()[:, 4:], [[1, 2], [3, 4]])
    assert (buffers["applied_out"].numpy()[:, 1] == 4.0).all()


def test_reset_of_some_worlds_leaves_the_others():
    collections = [collect(4) for _ in range(2)]
    for collection in collections:
        collection.reset()
    rng = np.random.default_rng(1)
    for i in range(6):
        if i == 3:
            collections[0].reset([1, 3])
        values = {name: numbers(4, 6, rng=rng) for name in INPUTS}
        outputs = []
        for collection in collections:
            buffers = arrays(4, 6, **values)
            collection.compute(*buffers.values())
            outputs.append(buffers["effort_cmd_out"].numpy())
        np.testing.assert_array_equal(outputs[0][[0, 2]], outputs[1][[0, 2]])
        if i in (3, 4):
            assert (outputs[0][[1, 3], 4:] != outputs[1][[1, 3], 4:]).any()
    collection.reset([])
    collection.reset(slice(0, 2))


def test_computing_can_be_captured():
    collection, twin = collect(3), collect(3)
    buffers, twins = ({n: a for n, a in arrays(3, 6).items()} for _ in range(2))
    collection.compute(*buffers.values())
    twin.compute(*twins.values())
    with wp.ScopedCapture(device="cpu") as capture:
        collection.compute(*buffers.values())
    for _ in range(3):
        for name in INPUTS:
            values = numbers(3, 6)
            buffers[name].assign(values)
            twins[name].assign(values)
        wp.capture_launch(capture.graph)
        twin.compute(*twins.values())
        for name in OUTPUTS:
            np.testing.assert_array_equal(buffers[name].numpy(), twins[name].numpy())


def test_new_arrays_are_followed():
    collection = collect(2)
    for scale in (1.0, 2.0):
        buffers = arrays(2, 6, effort_target=np.full((2, 6), scale))
        collection.compute(*buffers.values())
        np.testing.assert_array_equal(buffers["computed_out"].numpy(), scale)


def test_arrays_must_fit():
    collection = collect(2)
    good = arrays(2, 6)
    with pytest.raises(ShapeError, match="joint_vel has shape"):
        collection.compute(*{**good, "joint_vel": arrays(2, 5)["joint_vel"]}.values())
    with pytest.raises(InvalidValueError, match="vel_target"):
        collection.compute(*{**good, "vel_target": np.zeros((2, 6))}.values())
    wrong = wp.zeros((2, 6), dtype=wp.float64, device="cpu")
    with pytest.raises(InvalidValueError, match="applied_out"):
        collection.compute(*{**good, "applied_out": wrong}.values())


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        ({"arm": ImplicitActuatorCfg(joint_names_expr=["elbow"])}, ValueError, "'arm'.*elbow"),
        ({"x": ImplicitActuatorCfg(joint_names_expr=["l_.*"]),
          "y": ImplicitActuatorCfg(joint_names_expr=["._hip"])},
         InvalidValueError, r"joint 'l_hip' is \['x', 'y'\]"),
        ({"leg": DCMotorCfg(joint_names_expr=["l_.*"], saturation_effort=1.0)},
         InvalidValueError, "group 'leg'"),
        ({"leg": ImplicitActuatorCfg(joint_names_expr=["l_.*"], stiffness={"r_hip": 1.0})},
         UnknownNameError, "group 'leg'"),
        ({"leg": ImplicitActuatorCfg(joint_names_expr=["l_.*"], effort_limit=1.0,
                                     effort_limit_sim=2.0)},
         InvalidValueError, r"group 'leg': effort_limit of joints \['l_hip', 'l_knee', 'l_an"),
    ],
)  # fmt: skip
def test_bad_groups_are_refused(groups, error, message):
    with pytest.raises(error, match=message):
        collect(2, groups)


def test_bad_indices_and_stage_values_are_refused():
    cfg = IdealPDActuatorCfg(joint_names_expr=[".*"])
    for ids in ([0, 9], slice(0, 5)):
        model = cfg.class_type(cfg, ["l_hip", "r_hip"], ids, 2, "cpu")
        with pytest.raises(InvalidValueError, match="actuator group 'a'"):
            ActuatorCollection({"a": model}, JOINTS, 2, "cpu")
    with pytest.raises(InvalidValueError, match="on_stage"):
        collect(2, on_stage={"stifness": 1.0})


def test_configurations_are_not_changed():
    before = copy.deepcopy(GROUPS)
    collect(2)
    assert before == GROUPS
