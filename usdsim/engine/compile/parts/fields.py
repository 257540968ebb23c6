"""Index fields of models: which arrays hold indices, and what they count."""

from __future__ import annotations

import mujoco

__all__ = ["COUNTS", "DERIVED", "REFERENCES", "TYPED"]

REFERENCES: dict[str, str] = {
    "body_parentid": "nbody",
    "body_rootid": "nbody",
    "body_weldid": "nbody",
    "body_mocapid": "nmocap",
    "body_jntadr": "njnt",
    "body_dofadr": "nv",
    "body_treeid": "ntree",
    "body_geomadr": "ngeom",
    "body_bvhadr": "nbvh",
    "jnt_qposadr": "nq",
    "jnt_dofadr": "nv",
    "jnt_bodyid": "nbody",
    "jnt_actuatorid": "nactuator",
    "dof_bodyid": "nbody",
    "dof_jntid": "njnt",
    "dof_parentid": "nv",
    "dof_treeid": "ntree",
    "dof_Madr": "nM",
    "tree_bodyadr": "nbody",
    "tree_dofadr": "nv",
    "geom_bodyid": "nbody",
    "site_bodyid": "nbody",
    "cam_bodyid": "nbody",
    "cam_targetbodyid": "nbody",
    "light_bodyid": "nbody",
    "light_targetbodyid": "nbody",
    "mesh_bvhadr": "nbvh",
    "pair_geom1": "ngeom",
    "pair_geom2": "ngeom",
    "actuator_ctrladr": "nu",
    "actuator_outadr": "nout",
    "actuator_actadr": "na",
    "tendon_treeid": "ntree",
    "tendon_actuatorid": "nactuator",
    "ten_J_colind": "nv",
    "M_rowadr": "nC",
    "M_colind": "nv",
    "mapM2M": "nM",
    "D_rowadr": "nD",
    "D_colind": "nv",
    "mapM2D": "nC",
    "mapD2M": "nD",
    "B_colind": "nv",
}
"""Size that an array's values count; -1 stands for none."""

COUNTS: frozenset[str] = frozenset(
    {
        "body_jntnum", "body_dofnum", "body_geomnum", "body_plugin", "body_contype",
        "body_conaffinity", "body_bvhnum", "bvh_depth", "bvh_child", "jnt_type",
        "jnt_group", "jnt_plasticadr", "tree_bodynum", "tree_dofnum", "tree_sleep_policy",
        "geom_type", "geom_contype", "geom_conaffinity", "geom_condim", "geom_matid", "geom_group",
        "geom_priority", "geom_plugin", "pair_dim", "M_rownnz", "D_rownnz", "D_diag",
        "actuator_trntype", "actuator_dyntype", "actuator_gaintype", "actuator_biastype",
        "actuator_ctrlnum", "actuator_ctrlspec", "actuator_outnum", "actuator_actnum",
        "actuator_history", "actuator_historyadr", "actuator_group", "actuator_plugin",
        "eq_type", "eq_objtype",
    }
)  # fmt: skip
"""Integers of what is joined that are the same in a part and in the whole."""

DERIVED: frozenset[str] = frozenset(
    {"dof_simplenum", "bvh_nodeid", "geom_dataid", "B_rownnz", "B_rowadr", "name_bodyadr",
     "name_jntadr", "name_geomadr", "pair_signature", "name_pairadr",
     "name_actuatoradr", "exclude_signature", "name_excludeadr", "name_eqadr"}
)  # fmt: skip
"""Integers of what is joined that are worked out for the whole."""

_OBJ, _EQ, _TRN, _WRAP = mujoco.mjtObj, mujoco.mjtEq, mujoco.mjtTrn, mujoco.mjtWrap
_ALONE = (
    _OBJ.mjOBJ_SITE, _OBJ.mjOBJ_CAMERA, _OBJ.mjOBJ_LIGHT, _OBJ.mjOBJ_MESH, _OBJ.mjOBJ_HFIELD,
    _OBJ.mjOBJ_TEXTURE, _OBJ.mjOBJ_MATERIAL, _OBJ.mjOBJ_TENDON, _OBJ.mjOBJ_SENSOR,
    _OBJ.mjOBJ_NUMERIC, _OBJ.mjOBJ_TEXT, _OBJ.mjOBJ_TUPLE,
)  # fmt: skip
"""Objects that only the first part has."""
_OBJECTS: dict[int, str | None] = {
    **dict.fromkeys(map(int, _ALONE)),
    int(_OBJ.mjOBJ_BODY): "nbody",
    int(_OBJ.mjOBJ_XBODY): "nbody",
    int(_OBJ.mjOBJ_JOINT): "njnt",
    int(_OBJ.mjOBJ_DOF): "nv",
    int(_OBJ.mjOBJ_GEOM): "ngeom",
    int(_OBJ.mjOBJ_PAIR): "npair",
    int(_OBJ.mjOBJ_EXCLUDE): "nexclude",
    int(_OBJ.mjOBJ_ACTUATOR): "nactuator",
    int(_OBJ.mjOBJ_EQUALITY): "neq",
}
_COUPLED: dict[int, str | None] = {int(_EQ.mjEQ_JOINT): "njnt", int(_EQ.mjEQ_TENDON): None}

TYPED: tuple[tuple[str, str, dict[int, str | None]], ...] = (
    ("eq_obj1id", "eq_objtype", _OBJECTS),
    ("eq_obj1id", "eq_type", _COUPLED),
    ("eq_obj2id", "eq_objtype", _OBJECTS),
    ("eq_obj2id", "eq_type", _COUPLED),
    ("sensor_objid", "sensor_objtype", _OBJECTS),
    ("sensor_refid", "sensor_reftype", _OBJECTS),
    ("tuple_objid", "tuple_objtype", _OBJECTS),
    (
        "actuator_trnid",
        "actuator_trntype",
        {
            int(_TRN.mjTRN_JOINT): "njnt",
            int(_TRN.mjTRN_JOINTINPARENT): "njnt",
            int(_TRN.mjTRN_SO3): "njnt",
            int(_TRN.mjTRN_BODY): "nbody",
            int(_TRN.mjTRN_SITE): None,
            int(_TRN.mjTRN_SLIDERCRANK): None,
            int(_TRN.mjTRN_TENDON): None,
        },
    ),
    (
        "wrap_objid",
        "wrap_type",
        {
            int(_WRAP.mjWRAP_JOINT): "njnt",
            int(_WRAP.mjWRAP_SPHERE): "ngeom",
            int(_WRAP.mjWRAP_CYLINDER): "ngeom",
            int(_WRAP.mjWRAP_SITE): None,
            int(_WRAP.mjWRAP_PULLEY): None,
        },
    ),
)
"""Indices whose meaning another array tells: the array, that one, and sizes by its values; None:
only the first part has such elements, and their indices stay. All rows of an array must be told."""
