"""Deformable bodies: every vertex is a body of the engine, and a flex holds them together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import CompileError, UnknownNameError
from usdsim.engine.surfaces.materials import (
    ROLLING,
    TORSIONAL,
    friction,
    material_of,
    mix,
    stronger,
)
from usdsim.math.deformable.bending import hinge_factors
from usdsim.math.deformable.elements import lumped_masses, measures
from usdsim.parser.description import WORLD, DeformableDescription

from .context import Build
from .deformable_targets import target_rows
from .options import EQUALITY_SOLREF, TIE_SOLIMP
from .rods import add_rod, clamp_ends, rod_elasticity

__all__ = [
    "CompiledDeformable",
    "SoftBody",
    "add_deformables",
    "compiled_deformables",
    "find_deformable",
    "set_initial_points",
    "set_soft_bending",
    "set_soft_damping",
    "set_soft_options",
]

Array = NDArray[np.float64]
Ids = NDArray[np.intp]

ITERATIONS = 400
"""A slender beam of 1600 tetrahedra needs more than the engine's own 100 iterations to converge."""
CONVEX_TOLERANCE = 3e-4
"""Tolerance of contact with shapes that are no planes [m]. A contact point is the deepest one of a
triangle to within this tolerance; on a flat side all are as deep, and a smaller one lets it jump
from corner to corner, which shakes soft bodies. `SOLREF` has numbers."""
SOLREF = (0.01, 2.0)
"""Overdamped, so that what jumping contact points stir comes to rest. Cubes of 0.2 m and 8 kg on a
box shake, by the fastest vertex [mm/s, root mean square], at moduli of

    1e4     2e4     1e5     1e6 Pa
    92      74      3.0     1.5     27 vertices, at a tolerance of 1e-4 and critically damped,
    8       4       3.9     0.5     with both values from here;
    190     89      3.3     0.7     125 vertices, without them,
    11      6       1.2     0.6     with them, where a step takes a fifth to a half of the time.

They sink in by 0.3 mm more. Elasticity, not contact, makes soft bodies rebound."""
RADIUS = 0.005
"""Rounding of a volume's surface, relative to the length of an edge."""
_HELD = 1e-6
"""Distance, relative to the size of a body, from where a vertex may be held as it rests."""
_SPIN = 0.1
"""Radius of gyration of a vertex, relative to the length of an edge; nothing ever turns it."""
_LEAST = 1e-12
"""Moment of inertia of vertices of tiny bodies [kg m^2]: the engine refuses smaller ones."""
_HINGE = 17
"""Numbers the engine has for each edge of a surface: a matrix of 4 by 4, and the rest angle."""
_REFUSED = {
    mujoco.mjtIntegrator.mjINT_IMPLICIT: "implicit",
    mujoco.mjtIntegrator.mjINT_IMPLICITFAST: "implicitfast",
}


@dataclass
class SoftBody:
    """A deformable body in the spec."""

    description: DeformableDescription
    flex: Any
    vertices: list[Any] = field(default_factory=list)
    """Spec bodies by vertex."""
    turning: list[Any] = field(default_factory=list)
    """Spec bodies that turn about the segments of a rod."""


@dataclass(frozen=True, eq=False)
class CompiledDeformable:
    """Indices of a deformable body in the engine's arrays."""

    description: DeformableDescription
    """Description it was compiled from."""
    flex: int
    """Index of its flex."""
    vertices: slice
    """Slice of the body's vertices in the engine's arrays, such as ``flexvert_xpos``."""
    body_ids: Ids
    """Engine bodies of the vertices, shape (vertices,)."""
    qpos_adr: Ids
    """First of the three positions of each vertex; -1: it has none, shape (vertices,)."""
    dof_adr: Ids
    """First of the three velocities of each vertex; -1: it has none, shape (vertices,)."""
    mocap_ids: Ids
    """Rows of kinematic vertices in ``mocap_pos``; -1: it is none, shape (vertices,)."""
    origins: Array
    """World positions of vertices with coordinates of zero [m], shape (vertices, 3)."""
    eq_ids: NDArray[np.int32]
    """Constraints that hold coordinates at targets, see `target_rows`, shape (vertices, 3)."""
    num_bodies: int = 0
    """Number of engine bodies: its vertices, and what turns about segments of a rod."""

    @property
    def path(self) -> str:
        """Prim path of the body."""
        return self.description.path

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return len(self.body_ids)

    @property
    def elements(self) -> NDArray[np.int32]:
        """Vertices of each tetrahedron, triangle or segment, shape (elements, 4), 3 or 2."""
        return self.description.elements

    @property
    def moving(self) -> Ids:
        """Vertices that have positions and velocities of their own."""
        return np.flatnonzero(self.dof_adr >= 0)


def find_deformable(
    bodies: tuple[CompiledDeformable, ...], path: str, where: str
) -> CompiledDeformable:
    """The deformable body of a prim path.

    Args:
        bodies: the candidates.
        path: of the body or of its simulation mesh.
        where: what the message calls the scene.

    Raises:
        UnknownNameError: there is none.
    """
    for body in bodies:
        if path in (body.path, body.description.mesh):
            return body
    raise UnknownNameError("deformable body", path, [body.path for body in bodies], where)


def set_soft_options(build: Build) -> None:
    """Choose an integrator that elastic forces are stable with, unless the stage chose one.

    Raises:
        CompileError: the stage chose one the engine refuses for deformable bodies.
    """
    option = build.spec.option
    if not build.owns_options and any(body.collides for body in build.scene.deformables):
        option.ccd_tolerance = CONVEX_TOLERANCE
    elastic = [body for body in build.scene.deformables if _is_elastic(body)]
    if not elastic:
        return
    if not build.owns_options:
        option.iterations = ITERATIONS
    if "option.integrator" not in build.scene.options:
        option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    elif option.integrator in _REFUSED:
        raise CompileError(
            f"{elastic[0].path!r}: the scene's integrator is "
            f"{_REFUSED[mujoco.mjtIntegrator(option.integrator)]}; allowed for elastic bodies: "
            "discrete, or euler with a time step far below a millisecond. Author "
            "mjc:option:integrator = 'discrete', or remove it."
        )


def add_deformables(build: Build) -> None:
    """Add the vertices and the flex of every deformable body; all other bodies are there."""
    for body in build.scene.deformables:
        build.soft.append(_add(build, body))


def _is_elastic(body: DeformableDescription) -> bool:
    return not body.kinematic and body.youngs_modulus > 0.0


def _add(build: Build, body: DeformableDescription) -> SoftBody:
    flex = build.spec.add_flex(name=build.name("flex", body.path), dim=body.elements.shape[1] - 1)
    build.register("flex", body.path, flex)
    soft = SoftBody(body, flex)
    masses = lumped_masses(
        body.elements, measures(body.rest_points, body.elements), len(body.points), body.mass
    )
    edge = _edge(body)
    held = set() if body.kinematic else _held(body)
    for i, (rest, mass) in enumerate(zip(body.rest_points, masses.tolist(), strict=True)):
        vertex = build.spec.worldbody.add_body(
            name=build.namer.take("body", None, f"{body.mesh}:{i}"),
            pos=rest,
            explicitinertial=True,
            ipos=np.zeros(3),
            mass=mass,
            inertia=np.full(3, max(0.4 * mass * (_SPIN * edge) ** 2, _LEAST)),
            mocap=body.kinematic,
            gravcomp=1.0 - body.gravity_scale,
        )
        if not body.kinematic and i not in held:
            for axis in np.eye(3):
                vertex.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
        soft.vertices.append(vertex)
    flex.vertbody = [vertex.name for vertex in soft.vertices]
    flex.elem = body.elements.ravel().tolist()
    _set_elasticity(flex, body)
    _set_contact(build, flex, body, edge)
    if not body.kinematic:
        if body.kind == "curves":
            clamp_ends(flex, body, held)
            soft.turning = add_rod(build, flex, body, held, _is_elastic(body))
        _tie_vertices(build, soft, held)
    return soft


def _edge(body: DeformableDescription) -> float:
    """A typical length of an element's side [m]."""
    sides = body.rest_points[body.elements[:, 1:]] - body.rest_points[body.elements[:, :1]]
    return float(np.median(np.linalg.norm(sides, axis=2)))


def _set_elasticity(flex: Any, body: DeformableDescription) -> None:
    if not _is_elastic(body):
        return
    modulus, thickness = body.youngs_modulus, body.thickness
    if body.kind == "surface":
        flex.elastic2d = 3
        if body.bend_modulus is not None:
            # Stretching goes with E t and bending with E t^3: two moduli are one and a thickness.
            flex.thickness = thickness * np.sqrt(body.bend_modulus / modulus)
            modulus *= thickness / flex.thickness
        else:
            flex.thickness = thickness
    flex.young, flex.poisson, flex.damping = modulus, body.poissons_ratio, body.elasticity_damping
    if body.kind == "curves":
        rod_elasticity(flex, body)


def _set_contact(build: Build, flex: Any, body: DeformableDescription, edge: float) -> None:
    base = build.spec.default.geom
    flex.radius = RADIUS * edge if body.kind == "volume" else 0.5 * body.thickness
    flex.solref, flex.solimp = base.solref, base.solimp
    if not build.owns_options:
        flex.solref = SOLREF
    flex.friction = (_friction(build, body), TORSIONAL, ROLLING)
    # The engine takes the larger friction of two surfaces, unless one of them has a say.
    flex.priority = 1
    flex.contype = flex.conaffinity = int(body.collides)
    kinds = mujoco.mjtFlexSelf
    flex.selfcollide = kinds.mjFLEXSELF_AUTO if body.self_collision else kinds.mjFLEXSELF_NONE
    if body.rest_offset:
        flex.margin = body.rest_offset
    if body.contact_offset is not None:
        flex.gap = max(body.contact_offset - body.rest_offset, 0.0)
    if body.rgba is not None:
        flex.rgba = body.rgba


def _friction(build: Build, body: DeformableDescription) -> float:
    """Friction with everything else: combined with that of what it meets, if that is the same."""
    if not body.collides:
        return body.friction
    own, found = np.array(body.friction), set()
    for geom in build.scene.geoms:
        if geom.collides:
            material = material_of(build, geom)
            mode = stronger(None, material.friction_combine)
            theirs = np.array(friction(material, geom)[0])
            found.add(round(float(mix(mode, own, theirs)), 9))
    if len(found) > 1:
        build.note(
            body.path,
            f"meets surfaces of different friction; its own, {body.friction:g}, counts with all",
        )
    return found.pop() if len(found) == 1 else body.friction


def _held(body: DeformableDescription) -> set[int]:
    """Vertices that stand still: those the world holds where they rest.

    The undeformed shape is the one positions of zero imply, so others keep their positions and are
    tied, which costs more and holds to some hundredths of a millimetre. So are those that other
    worlds hold elsewhere, and those that rigid bodies hold: a vertex that is part of one costs
    still more, and the device does not know it.
    """
    size = float(np.ptp(body.rest_points, axis=0).max())
    found: set[int] = set()
    for pin in body.pins:
        if pin.body == WORLD and not pin.movable:
            away = np.linalg.norm(pin.points - body.rest_points[pin.vertices], axis=1)
            found.update(pin.vertices[away <= _HELD * size].tolist())
    return found


def _tie_vertices(build: Build, soft: SoftBody, held: set[int]) -> None:
    """Tie the other held vertices to points of what holds them."""
    for pin in soft.description.pins:
        holder = build.body(pin.body)
        name = "world"
        if pin.body != WORLD:
            name = build.name_of("body", build.body_path(pin.body), holder)
        for vertex, point in zip(pin.vertices.tolist(), pin.points, strict=True):
            if vertex in held:
                continue
            # A connection would take the place it holds a vertex at from the undeformed shape.
            tie = build.spec.add_equality(
                name=build.namer.take("equality", None, f"{pin.path}:{vertex}"),
                type=mujoco.mjtEq.mjEQ_WELD,
                objtype=mujoco.mjtObj.mjOBJ_BODY,
                name1=name,
                name2=soft.vertices[vertex].name,
                solref=EQUALITY_SOLREF,
                solimp=TIE_SOLIMP,
            )
            tie.data[:] = (0, 0, 0, *point, 1, 0, 0, 0, 0, 0)


def compiled_deformables(build: Build, model: mujoco.MjModel) -> tuple[CompiledDeformable, ...]:
    """Find the deformable bodies in a model that was just compiled."""
    return tuple(_lookup(soft, model) for soft in build.soft)


def set_soft_damping(model: mujoco.MjModel, bodies: tuple[CompiledDeformable, ...]) -> None:
    """Turn decay rates into damping of the vertices, as for free bodies.

    The engine's compiler refuses it on vertices, because edges could be damped; a rate of decay of
    all motion is something else.
    """
    for body in bodies:
        rate, moving = body.description.linear_damping, body.moving
        masses = model.body_mass[body.body_ids[moving]]
        model.dof_damping[body.dof_adr[moving, None] + np.arange(3)] += rate * masses[:, None]


def set_soft_bending(model: mujoco.MjModel, bodies: tuple[CompiledDeformable, ...]) -> None:
    """Make surfaces bend as plates do; see `hinge_factors`."""
    for body in bodies:
        flex, start = body.flex, int(model.flex_bendingadr[body.flex])
        if body.description.kind != "surface" or start < 0:
            continue
        first, count = int(model.flex_edgeadr[flex]), int(model.flex_edgenum[flex])
        edges = slice(first, first + count)
        hinges = np.concatenate([model.flex_edge[edges], model.flex_edgeflap[edges]], axis=1)
        held = (body.dof_adr < 0) & (body.mocap_ids < 0)
        factors = hinge_factors(
            body.description.rest_points, hinges, held, body.description.poissons_ratio
        )
        rows = model.flex_bending[start : start + _HINGE * count].reshape(count, _HINGE)
        rows[:, :-1] *= factors[:, None]


def _lookup(soft: SoftBody, model: mujoco.MjModel) -> CompiledDeformable:
    flex = soft.flex.id
    start, count = int(model.flex_vertadr[flex]), int(model.flex_vertnum[flex])
    ids = np.array([vertex.id for vertex in soft.vertices], dtype=np.intp)
    joints = np.asarray(model.body_jntadr[ids], dtype=np.intp)
    has = joints >= 0
    first = joints[has]
    qpos, dofs = np.full(count, -1, dtype=np.intp), np.full(count, -1, dtype=np.intp)
    qpos[has], dofs[has] = model.jnt_qposadr[first], model.jnt_dofadr[first]
    return CompiledDeformable(
        description=soft.description,
        flex=int(flex),
        vertices=slice(start, start + count),
        body_ids=ids,
        qpos_adr=qpos,
        dof_adr=dofs,
        mocap_ids=np.asarray(model.body_mocapid[ids], dtype=np.intp),
        origins=np.array(model.body_pos[ids]),
        eq_ids=target_rows(soft, model),
        num_bodies=len(soft.vertices) + len(soft.turning),
    )


def set_initial_points(
    bodies: tuple[CompiledDeformable, ...], qpos: Array, qvel: Array, mocap_pos: Array
) -> None:
    """Set the positions and velocities vertices start with, in arrays of the initial state."""
    for body in bodies:
        moving, description = body.moving, body.description
        columns = np.arange(3)
        offset = description.points[moving] - body.origins[moving]
        qpos[body.qpos_adr[moving, None] + columns] = offset
        qvel[body.dof_adr[moving, None] + columns] = description.velocities[moving]
        kinematic = np.flatnonzero(body.mocap_ids >= 0)
        mocap_pos[body.mocap_ids[kinematic]] = description.points[kinematic]
