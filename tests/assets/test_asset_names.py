"""The names users of rigid objects rely on: present, with their parameters, and documented."""

from __future__ import annotations

import inspect

import pytest
from asset_stages import cuboid
from deformable_stages import soft_cube

import usdsim.assets as assets
from usdsim.views import Quantity
from usdsim.views.aliases import Alias, attribute_texts

ROOT_WRITERS = {
    f"write_root_{frame}{kind}_to_sim": f"root_{kind}"
    for kind in ("pose", "velocity", "state")
    for frame in ("", "link_", "com_")
}
OBJECT_WRITERS = {name.replace("root", "object"): arg for name, arg in ROOT_WRITERS.items()}
BODY_WRITERS = {name.replace("root", "body"): arg for name, arg in ROOT_WRITERS.items()}
MASS_WRITERS = {f"set_{name}": name for name in ("masses", "coms", "inertias")}
PLURAL = {
    "root_pose": "body_poses",
    "root_velocity": "body_velocities",
    "root_state": "body_states",
}

BASE = {
    "set_visibility": ["visible", "env_ids"],
    "set_debug_vis": ["debug_vis"],
    "reset": ["env_ids"],
    "update": ["dt"],
    "write_data_to_sim": [],
    "assert_shape_and_dtype": ["tensor", "shape", "dtype", "name"],
    "assert_shape_and_dtype_mask": ["tensor", "masks", "dtype", "name", "trailing_dims"],
}
BODIES = {
    "find_bodies": ["name_keys", "preserve_order"],
    "set_external_force_and_torque": [
        "forces", "torques", "positions", "body_ids", "env_ids", "is_global",
    ],
}  # fmt: skip


def forms(names: dict[str, str], ids: str, order: list[str]) -> dict[str, list[str]]:
    """Parameters of the plain, index and mask forms of writers."""
    mask = [f"{ids}_mask"] if ids else []
    table: dict[str, list[str]] = {}
    for name, arg in names.items():
        table[name] = [arg, *order]
        table[f"{name}_index"] = sorted([arg, *order, "full_data"])
        table[f"{name}_mask"] = sorted([arg, *mask, "env_mask"])
    return table


NODE_WRITERS = {
    "write_nodal_state_to_sim": "nodal_state",
    "write_nodal_pos_to_sim": "nodal_pos",
    "write_nodal_velocity_to_sim": "nodal_vel",
    "write_nodal_kinematic_target_to_sim": "targets",
}

METHODS: dict[str, dict[str, list[str]]] = {
    "AssetBase": BASE,
    "RigidObject": BASE
    | BODIES
    | forms(ROOT_WRITERS, "", ["env_ids"])
    | forms(MASS_WRITERS, "body", ["body_ids", "env_ids"]),
    "RigidObjectCollection": BASE
    | BODIES
    | {
        "set_external_force_and_torque": [
            "forces",
            "torques",
            "positions",
            "body_ids",
            "env_ids",
            "is_global",
            "object_ids",
        ],
        "reset": ["env_ids", "object_ids"],
        "find_objects": ["name_keys", "preserve_order"],
        "reshape_data_to_view": ["data"],
        "reshape_view_to_data": ["data"],
    }
    | forms(
        {name: arg.replace("root", "object") for name, arg in OBJECT_WRITERS.items()},
        "object",
        ["env_ids", "object_ids"],
    )
    | forms(
        {name: PLURAL[arg] for name, arg in BODY_WRITERS.items()}, "body", ["env_ids", "body_ids"]
    )
    | forms(MASS_WRITERS, "body", ["body_ids", "env_ids"]),
    "DeformableObject": BASE
    | {"transform_nodal_pos": ["nodal_pos", "pos", "quat"]}
    | forms(NODE_WRITERS, "", ["env_ids"]),
}

PROPERTIES = {
    "AssetBase": "is_initialized num_instances device data has_debug_vis_implementation",
    "RigidObject": "num_bodies body_names root_view root_physx_view permanent_wrench_composer "
    "instantaneous_wrench_composer data",
    "RigidObjectCollection": "num_objects object_names num_bodies body_names root_view data "
    "root_physx_view permanent_wrench_composer instantaneous_wrench_composer",
    "DeformableObject": "num_bodies data root_view root_physx_view material_physx_view "
    "max_sim_elements_per_body max_sim_vertices_per_body max_collision_elements_per_body "
    "max_collision_vertices_per_body",
}

MOTION = (
    "{0}_link_pose_w {0}_link_pos_w {0}_link_quat_w {0}_link_vel_w {0}_link_lin_vel_w "
    "{0}_link_ang_vel_w {0}_link_state_w {0}_com_pose_w {0}_com_pos_w {0}_com_quat_w {0}_com_vel_w "
    "{0}_com_lin_vel_w {0}_com_ang_vel_w {0}_com_state_w {0}_pose_w {0}_pos_w {0}_quat_w {0}_vel_w "
    "{0}_lin_vel_w {0}_ang_vel_w {0}_state_w"
)
LOCAL = (
    "{0}_link_lin_vel_b {0}_link_ang_vel_b {0}_com_lin_vel_b {0}_com_ang_vel_b {0}_lin_vel_b "
    "{0}_ang_vel_b"
)
ACCELERATION = (
    "{0}_acc_w {0}_lin_acc_w {0}_ang_acc_w {0}_com_acc_w {0}_com_lin_acc_w {0}_com_ang_acc_w"
)
MASS = "{0}_com_pose_b {0}_com_pos_b {0}_com_quat_b {0}_mass {0}_inertia"
COMMON = "projected_gravity_b heading_w com_pos_b com_quat_b"
DEFAULTS = "default_{0}_state default_{0}_pose default_{0}_vel"
QUANTITIES = {
    "RigidObjectData": " ".join(
        [
            COMMON,
            *(part.format("root") for part in (MOTION, LOCAL)),
            *(part.format("body") for part in (MOTION, ACCELERATION, MASS)),
        ]
    ),
    "RigidObjectCollectionData": " ".join(
        part.format(name)
        for name in ("object", "body")
        for part in (MOTION, LOCAL, COMMON, ACCELERATION, MASS)
    ),
    "DeformableObjectData": "nodal_pos_w nodal_vel_w nodal_state_w nodal_kinematic_target "
    "root_pos_w root_vel_w sim_element_quat_w sim_element_deform_gradient_w sim_element_stress_w "
    "collision_element_quat_w collision_element_deform_gradient_w collision_element_stress_w",
}
DEFAULT_ARRAYS = {
    "RigidObjectData": f"{DEFAULTS.format('root')} default_mass default_inertia",
    "RigidObjectCollectionData": f"{DEFAULTS.format('object')} {DEFAULTS.format('body')} "
    "default_mass default_inertia",
    "DeformableObjectData": "default_nodal_state_w",
}

FIELDS = {
    "AssetBaseCfg": "class_type prim_path spawn init_state collision_group debug_vis",
    "AssetBaseCfg.InitialStateCfg": "pos rot",
    "RigidObjectCfg": "class_type prim_path spawn init_state collision_group debug_vis",
    "RigidObjectCfg.InitialStateCfg": "pos rot lin_vel ang_vel",
    "RigidObjectCollectionCfg": "class_type rigid_objects",
    "DeformableObjectCfg": "class_type prim_path spawn init_state collision_group debug_vis",
    "DeformableObjectCfg.InitialStateCfg": "pos rot",
}


@pytest.mark.parametrize(
    ("cls", "name", "parameters"),
    [(cls, name, params) for cls, table in METHODS.items() for name, params in table.items()],
)
def test_methods_take_the_documented_parameters(cls, name, parameters):
    method = inspect.getattr_static(getattr(assets, cls), name)
    found = list(inspect.signature(method).parameters.values())
    found = found if isinstance(method, staticmethod) else found[1:]
    names = [p.name for p in found]
    if name.endswith(("_index", "_mask")) and name.startswith(("write_", "set_")):
        # Values may be given by position, what they are for by keyword only.
        assert {p.kind for p in found[1:]} == {inspect.Parameter.KEYWORD_ONLY}
        assert sorted(names) == parameters
    else:
        assert names[: len(parameters)] == parameters
        assert all(p.default is not p.empty for p in found[len(parameters) :])
    doc = inspect.getdoc(method)
    assert doc
    for parameter in names:
        assert f"{parameter}:" in doc, f"{name} does not document {parameter}"
    if name.startswith(("write_root", "write_body", "write_object", "set_masses", "set_inertias")):
        assert "[" in doc and "shape" in doc


@pytest.mark.parametrize("cls", PROPERTIES)
def test_properties_are_there_and_documented(cls):
    for name in PROPERTIES[cls].split():
        value = inspect.getattr_static(getattr(assets, cls), name)
        assert isinstance(value, property) and value.__doc__


@pytest.mark.parametrize("cls", QUANTITIES)
def test_quantities_are_there_with_unit_and_shape(cls):
    data = getattr(assets, cls)
    doc = attribute_texts(data)
    for name in QUANTITIES[cls].split():
        assert isinstance(inspect.getattr_static(data, name), Quantity | Alias), name
    for name in QUANTITIES[cls].split() + DEFAULT_ARRAYS[cls].split():
        assert hasattr(data, name), name
        text = doc[name].says
        assert "[" in text and "shape (num_instances" in text, f"{name}: {text}"
    for name in ("update", "body_names", "device"):
        assert inspect.getdoc(inspect.getattr_static(data, name))


@pytest.mark.parametrize("cls", FIELDS)
def test_configurations_have_their_documented_fields(cls):
    owner, _, inner = cls.partition(".")
    config = getattr(getattr(assets, owner), inner) if inner else getattr(assets, owner)
    assert set(FIELDS[cls].split()) <= set(config.__dataclass_fields__)
    assert set(FIELDS[cls].split()) <= set(attribute_texts(config))


def test_every_array_of_the_data_can_be_read(sim):
    soft = soft_cube(sim, reset=False)
    cfg = assets.RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Cube", spawn=cuboid())
    asset = assets.RigidObject(cfg)
    both = assets.RigidObjectCollection(
        assets.RigidObjectCollectionCfg(
            rigid_objects={"cube": assets.RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Cube")}
        )
    )
    sim.reset()
    for data in (asset.data, both.data, soft.data):
        cls = type(data).__name__
        for name in QUANTITIES[cls].split() + DEFAULT_ARRAYS[cls].split():
            array = getattr(data, name)
            assert array.shape[0] == 3, name
            if cls == "RigidObjectCollectionData":
                assert array.shape[1] == 1, name
            assert getattr(data, name) is array, f"{name} is another array on every reading"
        for name in (n for n in dir(type(data)) if isinstance(getattr(type(data), n), Alias)):
            target = getattr(type(data), name).target
            assert getattr(data, name) is getattr(data, target), name
