"""Contact between two particular surfaces, where the engine's own mixing would be wrong."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np

from usdsim.engine.compile.context import Build
from usdsim.engine.compile.shapes.filters import CollisionFilter, Pair
from usdsim.parser.description import MaterialDescription

from .compliance import compliant, grip
from .contact_pair import ContactPair
from .materials import friction_mode, material_of, mix, patch_radius, stronger
from .sticking import sticking_pairs
from .unlike import most_pairs, soft, unlike_pairs
from .varied import fewer_pairs, varied_geoms, varied_pairs, yielding_geoms

__all__ = ["add_contact_pairs", "set_compliance"]


def add_contact_pairs(build: Build, rules: CollisionFilter) -> list[ContactPair]:
    """Add the pairs that filtering needs, and those whose materials the engine would mix wrongly.

    The engine takes the larger friction of two geoms; USD's default is the average. One pair per
    two geoms says exactly what is meant.
    """
    most = most_pairs(build, rules)
    mixed, holding = unlike_pairs(build, rules, most)
    wanted = rules.apply()
    known = set(wanted)
    extra = sorted({pair for pair in mixed if pair not in known})
    surfaces = varied_geoms(build, rules)
    varied = sorted(varied_pairs(build, rules, surfaces) - known.union(extra))
    if len(varied) > most and (yielding := yielding_geoms(build, surfaces)):
        left = fewer_pairs(build, rules, surfaces, yielding, most)
        varied = sorted(left - known.union(extra))
    if len(varied) > most:
        build.note(
            "/",
            f"more than {most} pairs of shapes would be needed to vary surfaces while they "
            "are simulated, so they stay as they are. Vary fewer, or join shapes of the terrain",
            later=True,
        )
        varied = []
    else:
        build.varied = surfaces
    known = {*wanted, *extra, *varied}
    sticking = set(sticking_pairs(build, holding))
    more = sorted(sticking - known)
    return [_add_pair(build, pair, pair in sticking) for pair in [*wanted, *extra, *varied, *more]]


def _add_pair(build: Build, indices: Pair, sticks: bool) -> ContactPair:
    scene, (first, second) = build.scene, indices
    geoms = scene.geoms[first], scene.geoms[second]
    elements = build.geoms[first], build.geoms[second]
    mode = friction_mode(build, first, second)
    in_charge = max(elements, key=lambda e: e.priority)
    alike = elements[0].priority == elements[1].priority
    sliding, torsional, rolling = mix(mode, *(np.array(e.friction) for e in elements))
    radius = patch_radius(*geoms)
    dimensions = max(e.condim for e in elements) if alike else in_charge.condim
    names = [build.name_of("geom", g.path, e) for g, e in zip(geoms, elements, strict=True)]
    for index in indices:
        build.refer(index)
    pair = build.spec.add_pair(
        name=build.namer.take("pair", None, f"{geoms[0].path} {geoms[1].path}"),
        geomname1=names[0],
        geomname2=names[1],
        condim=max(dimensions, 4) if radius else dimensions,
        friction=(sliding, sliding, sliding * radius if radius else torsional, rolling, rolling),
        margin=elements[0].margin + elements[1].margin,
        gap=elements[0].gap + elements[1].gap,
    )
    return ContactPair(indices, mode, pair, sticks, radius)


def set_compliance(build: Build, model: mujoco.MjModel, pairs: Iterable[ContactPair]) -> None:
    """Set stiffness and damping per contact point of pairs of compliant materials."""
    for pair in pairs:
        geoms = [build.scene.geoms[index] for index in pair.geoms]
        a, b = (material_of(build, geom) for geom in geoms)
        if not soft(a, b):
            continue
        bodies = [0 if geom.body < 0 else build.bodies[geom.body].id for geom in geoms]
        weight = float(sum(model.body_invweight0[body][0] for body in bodies))
        stiffness, damping = _compliance(a, b)
        values = compliant(stiffness, damping, weight, model.opt.timestep)
        index = pair.element.id
        if values is None:
            paths = ", ".join(geom.path for geom in geoms)
            build.note(paths, f"contact stiffness {stiffness:g} N/m is rigid at this time step")
            continue
        model.pair_solref[index], model.pair_solimp[index] = values
        model.pair_solreffriction[index] = grip(model.opt.timestep)


def _compliance(a: MaterialDescription, b: MaterialDescription) -> tuple[float, float]:
    """Stiffness [N/m] and damping [N s/m] of two materials, of which one or both are compliant.

    Both combine by their modes. PhysX keeps stiffness as a negative restitution, so that the
    smaller of two is that of the stiffer one.
    """
    springs = [(m.contact_stiffness, m.contact_damping or 0.0) for m in (a, b)]
    given = [(stiffness, damping) for stiffness, damping in springs if stiffness]
    if len(given) == 1:
        return given[0]
    mode = stronger(a.restitution_combine, b.restitution_combine)
    stiffnesses, dampings = np.array(given).T
    return (
        float(mix({"min": "max", "max": "min"}.get(mode, mode), *stiffnesses)),
        float(mix(stronger(a.damping_combine, b.damping_combine), *dampings)),
    )
