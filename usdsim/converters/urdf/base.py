"""Base of a robot, and the root of its articulation."""

from __future__ import annotations

from usdsim.converters.emit import emit_joint
from usdsim.core.errors import UnknownNameError
from usdsim.math.transforms import Pose
from usdsim.usd.drafts import PrimDraft, apply, keep, keep_source_name, write

from .context import UrdfContext

__all__ = ["base_links", "write_base"]


def base_links(context: UrdfContext) -> list[str]:
    """The links that carry each tree of bodies."""
    chosen = context.cfg.root_link_name
    if chosen is not None:
        if chosen not in context.robot.links:
            raise UnknownNameError("link", chosen, context.robot.links, context.robot.file)
        return [chosen]
    links = [name for name in context.robot.roots if name not in context.environment]
    for joint in context.robot.joints.values():
        if joint.parent in context.environment and not joint.loop:
            links.append(joint.child)
    return links


def write_base(context: UrdfContext) -> None:
    """Fix or free the base links, and mark the articulation roots."""
    held = {
        joint.child: joint
        for joint in context.robot.joints.values()
        if joint.parent in context.environment
    }
    for name in base_links(context):
        joint = held.get(name)
        prim = context.spec(context.link_paths[name])
        if joint is not None and joint.name in context.joint_paths:
            base = context.spec(context.joint_paths[joint.name])
            if joint.kind not in ("fixed", "floating"):
                base = context.spec(context.root)
            elif joint.kind == "floating" and not context.cfg.fix_base:
                base = prim
        elif context.cfg.fix_base or (context.cfg.fix_base is None and not context.cfg.free_root):
            if context.cfg.fix_base is None:
                context.report.info(
                    "base-fixed",
                    context.robot.where,
                    f"no joint says how {name!r} moves in the world; it is bolted to it. "
                    "fix_base=False frees it, for robots on wheels, legs or wings",
                )
            base = _fix(context, name)
        else:
            base = prim
        if len(context.body_of) > 1 or base != prim:
            _articulation_root(context, base)


def _fix(context: UrdfContext, name: str) -> PrimDraft:
    """Fix a link to the robot's own prim, which stands for the world."""
    scope = f"{context.root}/Physics"
    path = f"{scope}/{context.names.unique(scope, 'root_joint')}"
    pose = context.root_poses[name]
    prim = emit_joint(
        context.layer, path, "fixed", context.root, context.link_paths[name], pose, Pose()
    )
    # Not an element of the source file.
    keep_source_name(prim, "")
    return prim


def _articulation_root(context: UrdfContext, prim: PrimDraft) -> None:
    apis = "PhysicsArticulationRootAPI", "NewtonArticulationRootAPI", "PhysxArticulationAPI"
    apply(prim, *apis)
    enabled = context.cfg.self_collision
    if enabled is None:
        enabled = bool(context.robot.self_collide)
    write(prim, "newton:selfCollisionEnabled", "bool", enabled)
    write(prim, "physxArticulation:enabledSelfCollisions", "bool", enabled)
    keep(prim, {"self_collision": enabled})
