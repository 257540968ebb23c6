"""PhysX tendons in MuJoCo's terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from usdsim.core.units import UNLIMITED
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import GenericDescription, JointDescription, SiteDescription
from usdsim.parser.prims import PrimView
from usdsim.parser.units import DEGREE

__all__ = ["Tendons", "parse_tendons"]

_FIXED, _SPATIAL = 1, 0


@dataclass(slots=True, eq=False)
class Tendons:
    """Tendons, and the points spatial ones run through."""

    elements: list[GenericDescription] = field(default_factory=list)
    sites: list[SiteDescription] = field(default_factory=list)


def parse_tendons(context: ParseContext, joints: Sequence[JointDescription]) -> Tendons:
    """Fixed and spatial tendons in stage order; one per path from root to leaf."""
    found = Tendons()
    by_path = {joint.path: joint for joint in joints}
    for view in context.views:
        for name in view.instances("PhysxTendonAxisRootAPI"):
            found.elements.extend(_fixed(context, view, name, by_path))
        for name in view.instances("PhysxTendonAttachmentRootAPI"):
            _spatial(context, view, name, found)
    return found


def _fixed(
    context: ParseContext, root: PrimView, name: str, joints: Mapping[str, JointDescription]
) -> Iterator[GenericDescription]:
    """Length = sum of gearing times joint position."""
    members = [
        view for view in context.views
        if view.path in joints
        and {f"PhysxTendonAxisAPI:{name}", f"PhysxTendonAxisRootAPI:{name}"} & set(view.apis)
    ]  # fmt: skip
    if not _enabled(root, name):
        return
    settings = _settings(context, root, name)
    parts = {view.path: list(_axes(context, view, name, joints)) for view in members}
    if root.path not in joints or not any(parts.values()):
        context.report.repaired(
            "dangling-element",
            root.path,
            f"is the root of tendon {name}, but none of its joints moves: the tendon is left out",
        )
        return
    chains = list(_chains(root, members, joints))
    for view in members:
        if not any(view.path in chain for chain in chains):
            context.report.repaired(
                "dangling-element",
                view.path,
                f"is named by tendon {name}, which runs along the bodies from {root.path} and does "
                "not come by: the joint has no part in it",
            )
    for number, chain in enumerate(chains):
        axes = [axis for path in chain for axis in parts[path]]
        if not axes:
            continue
        coefficients = np.array([axis.coefficient for axis in axes])
        paths = tuple(axis.path for axis in axes)
        scale = _force_scale(context, root, name, axes)
        if len(axes) > 1:
            context.report.warning(
                "approximated", root.path,
                f"is the root of a tendon along {len(axes)} axes: each gets the tendon's force "
                "times its coefficient, as the schema has it; PhysX gives each as large a part as "
                "there are axes, and takes the reaction at the body where the tendon starts",
                attribute=f"physxTendon:{name}:forceCoefficient",
            )  # fmt: skip
        yield GenericDescription(
            path=_path(root, name, number),
            kind="tendon",
            overrides={
                "type": _FIXED,
                "path": paths,
                "path:coef": coefficients,
                **({} if scale == 1.0 else {"force:scale": scale}),
                **settings,
            },
            targets={"path": paths},
        )


class _TendonAxis(NamedTuple):
    """A degree of freedom along a fixed tendon."""

    path: str
    coefficient: float
    """Length of tendon per motion of the axis [m/rad or 1]."""
    lever: float
    """Force or torque on the axis per force of the tendon [m or 1]."""


def _axes(
    context: ParseContext, view: PrimView, name: str, joints: Mapping[str, JointDescription]
) -> Iterator[_TendonAxis]:
    """Degrees of freedom of a joint that a fixed tendon runs along.

    PhysX has the gearing of a turning axis in length per degree and its force coefficient in
    length; those of a sliding axis have no unit.
    """
    prefix = f"physxTendon:{name}:"
    gears = view.array(prefix + "gearing", default=np.ones(1))
    forces = view.array(prefix + "forceCoefficient", default=np.ones(1))
    tokens = view.value(prefix + "jointAxis") or ("",)
    moving = [dof for dof in joints[view.path].dofs if dof.kind in ("hinge", "slide")]
    unit = context.units.length
    for token, gear, force in zip(tokens, gears, _filled(forces, len(gears)), strict=False):
        for dof in moving:
            if joints[view.path].kind != "d6" or dof.path.endswith(f":{token}"):
                turns = dof.kind == "hinge"
                per, lever = (unit / DEGREE, unit) if turns else (1.0, 1.0)
                yield _TendonAxis(dof.path, gear * per, force * lever)


def _filled(values: NDArray[np.float64], count: int) -> list[float]:
    """Values of an array, and 1 where it is too short, as the schema has it."""
    return [*values[:count].tolist(), *[1.0] * (count - len(values))]


def _force_scale(
    context: ParseContext, root: PrimView, name: str, axes: Sequence[_TendonAxis]
) -> float:
    """Levers over coefficients of the axes, which the engine has only once for a tendon."""
    coefficients, levers = (np.array([axis[i] for axis in axes]) for i in (1, 2))
    weight = float(coefficients @ coefficients)
    scale = float(coefficients @ levers) / weight if weight > 0.0 else 1.0
    if scale <= 0.0:
        scale = float(np.abs(levers).sum() / max(np.abs(coefficients).sum(), 1e-300))
    if not np.allclose(levers, scale * coefficients, rtol=1e-5, atol=1e-9):
        context.report.unsupported(
            root.path, f"physxTendon:{name}:forceCoefficient", levers.tolist(),
            "is not proportional to the gearing along the tendon; forces follow the gearing, at "
            "the mean ratio of the two. Author forceCoefficient in proportion to the gearing",
        )  # fmt: skip
    return scale if scale > 0.0 else 1.0


def _chains(
    root: PrimView, members: Sequence[PrimView], joints: Mapping[str, JointDescription]
) -> Iterator[list[str]]:
    """Paths of joints from the root to each leaf, along the bodies' tree."""
    below: dict[str, list[str]] = {view.path: [] for view in members}
    for view in members:
        for other in members:
            if view is not other and joints[view.path].child == joints[other.path].parent:
                below[view.path].append(other.path)
    stack = [[root.path]]
    while stack:
        chain = stack.pop()
        further = [path for path in below.get(chain[-1], ()) if path not in chain]
        if not further:
            yield chain
        stack.extend([*chain, path] for path in reversed(further))


def _spatial(context: ParseContext, root: PrimView, name: str, found: Tendons) -> None:
    """A line through attachments; a branch at an attachment is a tendon of its own."""
    if not _enabled(root, name):
        return
    root.number(f"physxTendon:{name}:gearing")  # Of no segment: a line begins here.
    below: dict[str, list[tuple[PrimView, str]]] = {}
    for view in context.views:
        kinds = ("PhysxTendonAttachmentAPI", "PhysxTendonAttachmentLeafAPI")
        for instance in {i for kind in kinds for i in view.instances(kind)}:
            prefix = f"physxTendon:{instance}:"
            for link in view.targets(prefix + "parentLink"):
                parent = view.value(prefix + "parentAttachment", "")
                below.setdefault(f"{link}:{parent}", []).append((view, instance))
    stack = [[(root, name)]]
    number = 0
    while stack:
        chain = stack.pop()
        last = f"{chain[-1][0].path}:{chain[-1][1]}"
        further = [end for end in below.get(last, ()) if end not in chain]
        stack.extend([*chain, end] for end in reversed(further))
        if further or len(chain) < 2:
            continue
        sites = tuple(_site(context, view, instance, found) for view, instance in chain)
        settings = _settings(context, *chain[-1], root=(root, name))
        line = {"type": _SPATIAL, "path": sites, **_shares(context, chain[1:])}
        found.elements.append(
            GenericDescription(
                path=_path(root, name, number),
                kind="tendon",
                overrides=line | settings,
                targets={"path": sites},
            )
        )
        number += 1


def _shares(context: ParseContext, chain: Sequence[tuple[PrimView, str]]) -> dict[str, Any]:
    """Gearing of each segment, that of the attachment at its end, as pulleys.

    MuJoCo says so by pulleys, behind which lengths are divided. Its forces are then those of the
    pulleys; in PhysX the line pulls with what its spring states wherever it runs.
    """
    gears = []
    for view, instance in chain:
        attribute = f"physxTendon:{instance}:gearing"
        gears.append(view.number(attribute, 1.0))
        if gears[-1] <= 0.0:
            context.report.unsupported(
                view.path, attribute, gears[-1],
                "is not above 0; the line to this attachment counts once. Author more than 0",
            )  # fmt: skip
            gears[-1] = 1.0
    if len(gears) > 1:
        context.report.warning(
            "approximated", chain[0][0].path,
            f"is on a tendon of {len(gears)} segments, which pulls at both ends of each"
            f"{'' if len(set(gears)) == 1 else ', in proportion to its gearing'}; PhysX pulls "
            "every attachment toward the one before it, and its root link back for all",
            attribute=f"physxTendon:{chain[0][1]}:parentLink",
        )  # fmt: skip
    if all(gear == 1.0 for gear in gears):
        return {}
    segments = [number for number in range(len(gears)) for _ in range(2)]
    return {
        "path:indices": [i for number in range(len(gears)) for i in (number, number + 1)],
        "path:segments": segments,
        "path:pulleys": range(0, len(segments), 2),
        "path:divisors": [1.0 / gear for gear in gears],
        "force:scale": len(gears) / sum(gears),
    }


def _site(context: ParseContext, view: PrimView, instance: str, found: Tendons) -> str:
    path = f"{view.path}:{instance}"
    if any(site.path == path for site in found.sites):
        return path
    local = view.vector(f"physxTendon:{instance}:localPos", np.zeros(3))
    body = context.body_above(view.path)
    prims = context.body_prims[body] if body >= 0 else -1
    at = context.frames.relative([view.index], [prims])
    pos = at.pos[0] + at.linear[0] @ local
    found.sites.append(SiteDescription(path=path, body=body, pose=Pose(pos)))
    return path


def _enabled(view: PrimView, name: str) -> bool:
    return bool(view.value(f"physxTendon:{name}:tendonEnabled", True))


def _settings(
    context: ParseContext, view: PrimView, name: str, root: tuple[PrimView, str] | None = None
) -> dict[str, Any]:
    """Spring, damper, limits. `offset` adds to the length, so it shifts what is compared to it."""
    owner, instance = root or (view, name)
    units, main, leaf = context.units, f"physxTendon:{instance}:", f"physxTendon:{name}:"
    offset = owner.number(main + "offset", 0.0) * units.length
    stiffness = owner.number(main + "stiffness", 0.0) * units.factor("N/m")
    damping = owner.number(main + "damping", 0.0) * units.factor("N s/m")
    firm = owner.number(main + "limitStiffness", 0.0) * units.factor("N/m")
    rest = view.number(leaf + "restLength", 0.0 if root is None else -1.0)
    lower = view.number(leaf + "lowerLimit", -np.inf)
    upper = view.number(leaf + "upperLimit", np.inf)
    values: dict[str, Any] = {"stiffness[0]": stiffness, "damping[0]": damping}
    if offset:
        values["length:offset"] = offset
    if root is None or rest >= 0.0:
        # MuJoCo takes -1 as the length in the initial pose; so does PhysX for spatial tendons.
        length = rest * units.length - offset
        values["springlength"] = np.array([length, length])
    low = lower * units.length - offset if lower > -UNLIMITED else -np.inf
    high = upper * units.length - offset if upper < UNLIMITED else np.inf
    if low < high and (np.isfinite(low) or np.isfinite(high)):
        values["limited"] = 1
        values["range[0]"], values["range[1]"] = max(low, -1e10), min(high, 1e10)
        if firm > 0.0:
            values["limit:stiffness"] = firm
    return values


def _path(root: PrimView, name: str, number: int) -> str:
    return f"{root.path}:{name}" + (f":{number}" if number else "")
