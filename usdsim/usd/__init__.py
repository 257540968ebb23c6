"""Thin access to OpenUSD: stages, prims, names, queries, schemas, attributes, transforms."""

from __future__ import annotations

from .attributes import author, authored, from_usd, is_authored, to_usd
from .names import SOURCE_NAME, NameScope, get_source_name, legal_name, set_source_name
from .prims import define_prim, get_prim, scene_path
from .queries import find_ancestor, find_prim, find_prims, traverse
from .schemas import api_instances, applied_schemas, apply_api, has_api, remove_api
from .stage import (
    USD_SUFFIXES,
    composition_errors,
    create_stage,
    current_stage,
    open_stage,
    save_layer,
    save_stage,
    use_stage,
)
from .xforms import decompose, local_pose, relative_pose, set_local_pose, world_pose

__all__ = [
    "SOURCE_NAME",
    "USD_SUFFIXES",
    "NameScope",
    "api_instances",
    "applied_schemas",
    "apply_api",
    "author",
    "authored",
    "composition_errors",
    "create_stage",
    "current_stage",
    "decompose",
    "define_prim",
    "find_ancestor",
    "find_prim",
    "find_prims",
    "from_usd",
    "get_prim",
    "get_source_name",
    "has_api",
    "is_authored",
    "legal_name",
    "local_pose",
    "open_stage",
    "relative_pose",
    "remove_api",
    "save_layer",
    "save_stage",
    "scene_path",
    "set_local_pose",
    "set_source_name",
    "to_usd",
    "traverse",
    "use_stage",
    "world_pose",
]
