"""Index fields of models: which arrays hold indices, and what they count."""

from __future__ import annotations

import mujoco

__all__ = ["COUNTS", "DERIVED", "OBJECTS", "REFERENCES", "TYPED"]

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
    "tendon_treeid": "ntree",
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
        "body_conaffinity", "body_bvhnum", "bvh_depth", "bvh_child", "jnt_type", "jnt_actuatorid",
        "jnt_group", "jnt_plasticadr", "tree_bodynum", "tree_dofnum", "tree_sleep_policy",
        "geom_type", "geom_contype", "geom_conaffinity", "geom_condim", "geom_matid", "geom_group",
        "geom_priority", "geom_plugin", "pair_dim", "M_rownnz", "D_rownnz", "D_diag",
    }
)  # fmt: skip
"""Integers of what is joined that are the same in a part and in the whole."""

DERIVED: frozenset[str] = frozenset(
    {"dof_simplenum", "bvh_nodeid", "geom_dataid", "B_rownnz", "B_rowadr", "name_bodyadr",
     "name_jntadr", "name_geomadr", "pair_signature", "name_pairadr"}
)  # fmt: skip
"""Integers of what is joined that are worked out for the whole."""

_OBJ, _TRN, _WRAP = mujoco.mjtObj, mujoco.mjtTrn, mujoco.mjtWrap
OBJECTS: dict[int, str] = {
    int(_OBJ.mjOBJ_BODY): "nbody",
    int(_OBJ.mjOBJ_XBODY): "nbody",
    int(_OBJ.mjOBJ_JOINT): "njnt",
    int(_OBJ.mjOBJ_DOF): "nv",
    int(_OBJ.mjOBJ_GEOM): "ngeom",
}
"""Size that the index of an object counts, by type, where it is of what is joined."""

TYPED: tuple[tuple[str, str, dict[int, str]], ...] = (
    ("eq_obj1id", "eq_objtype", OBJECTS),
    ("eq_obj2id", "eq_objtype", OBJECTS),
    ("sensor_objid", "sensor_objtype", OBJECTS),
    ("sensor_refid", "sensor_reftype", OBJECTS),
    ("tuple_objid", "tuple_objtype", OBJECTS),
    (
        "actuator_trnid",
        "actuator_trntype",
        {
            int(_TRN.mjTRN_JOINT): "njnt",
            int(_TRN.mjTRN_JOINTINPARENT): "njnt",
            int(_TRN.mjTRN_BODY): "nbody",
        },
    ),
    (
        "wrap_objid",
        "wrap_type",
        {
            int(_WRAP.mjWRAP_JOINT): "njnt",
            int(_WRAP.mjWRAP_SPHERE): "ngeom",
            int(_WRAP.mjWRAP_CYLINDER): "ngeom",
        },
    ),
)
"""Indices whose meaning another array tells: the array, that one, and sizes by its values."""
