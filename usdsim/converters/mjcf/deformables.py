"""Flexible bodies and skins."""

from __future__ import annotations

from typing import Any

import numpy as np

from usdsim.core.dialects.mjc_arrays import bone_rows, part_rows

from .context import MjcfContext
from .rows import write_rows

__all__ = ["convert_flexes", "convert_skins"]


def convert_flexes(context: MjcfContext) -> None:
    """Define every flexible body."""
    for index, path, flex in context.defined("flex"):
        write_rows(context, path, "flex", index, skip=("nodebody", "vertbody", "material"))
        names = {body.name: i for i, body in enumerate(context.elements("body"))}
        for field, name in (("nodebody", "nodeBodies"), ("vertbody", "vertexBodies")):
            _link_bodies(context, path, name, list(getattr(flex, field)), names)
        materials = {m.name: context.paths["material"][i]
                     for i, m in enumerate(context.elements("material"))}  # fmt: skip
        used = [materials[name] for name in flex.material if name in materials]
        if used:
            context.link(path, "mjc:material", used)


def _link_bodies(
    context: MjcfContext, path: str, name: str, bodies: list[str], index: dict[str, int]
) -> None:
    if not bodies:
        return
    unique = list(dict.fromkeys(bodies))
    position = {body: i for i, body in enumerate(unique)}
    context.link(path, f"mjc:{name}", [context.paths["body"][index[body]] for body in unique])
    if len(unique) != len(bodies):
        order = [position[body] for body in bodies]
        context.set(path, f"mjc:{name}:indices", "int[]", order)


def convert_skins(context: MjcfContext) -> None:
    """Define every skin: a mesh prim, and the bones that move it."""
    for index, path, _ in context.defined("skin"):
        written = ("vert", "texcoord", "face", "bodyname", "bindpos", "bindquat", "vertid",
                   "vertweight", "bones:counts")  # fmt: skip
        write_rows(context, path, "skin", index, skip=written)
        for name, type_name, values in _skin_arrays(context, index):
            if len(values):
                context.set(path, name, type_name, values)
        bodies = context.model.skin_bonebodyid[part_rows(context.model, "skin_bone", index)]
        context.link(path, "mjc:bodies", [context.paths["body"][int(body)] for body in bodies])


def _skin_arrays(context: MjcfContext, index: int) -> list[tuple[str, str, Any]]:
    model = context.model
    vertices, faces = (part_rows(model, f"skin_{part}", index) for part in ("vert", "face"))
    bones, moved = bone_rows(model, index)
    texture = int(model.skin_texcoordadr[index])
    texcoords = model.skin_texcoord[texture : texture + int(model.skin_vertnum[index])]
    return [
        ("mjc:vertices", "float[]", model.skin_vert[vertices].ravel()),
        ("mjc:texcoords", "float[]", texcoords.ravel() if texture >= 0 else np.zeros(0)),
        ("mjc:faces", "int[]", model.skin_face[faces].ravel()),
        ("mjc:bind:pos", "float[]", model.skin_bonebindpos[bones].ravel()),
        ("mjc:bind:quat", "float[]", model.skin_bonebindquat[bones].ravel()),
        ("mjc:bones:counts", "int[]", model.skin_bonevertnum[bones]),
        ("mjc:bones:vertices", "int[]", model.skin_bonevertid[moved]),
        ("mjc:bones:weights", "float[]", model.skin_bonevertweight[moved]),
    ]
