"""Compilation pipeline: a scene description becomes a compiled model."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import CompileError
from usdsim.engine.effects.breaking.cpu import Breakable, breakable_joints
from usdsim.engine.names import NameTable
from usdsim.engine.surfaces.pairs import add_contact_pairs, set_compliance
from usdsim.engine.surfaces.sticking import feel_contacts, sticking_table
from usdsim.engine.surfaces.table import SurfaceTable, surface_table
from usdsim.math.transforms import Pose
from usdsim.parser.description import SceneDescription

from .bodies import add_bodies
from .cones import ConeLimits, set_cone_limits
from .constraints import add_constraints
from .context import Build
from .deformable_targets import add_targets
from .deformables import (
    CompiledDeformable,
    add_deformables,
    compiled_deformables,
    find_deformable,
    set_soft_bending,
    set_soft_damping,
    set_soft_options,
)
from .drives import add_drives, scale_acceleration_drives
from .errors import compile_spec
from .initial import InitialState, initial_state
from .joints import set_limit_compliance
from .keyframes import add_keyframes, set_keyframes
from .memory import set_memory, sizes_arena
from .mjc import add_elements, element_names, keep_skin_weights
from .options import (
    needs_implicit_drives,
    set_options,
    steady_rotors,
    use_implicit_drives,
)
from .parts.compile import join_parts
from .parts.part_models import PartModels
from .parts.partition import NotJoinable
from .parts.plan import plan
from .restraint.damping import set_body_damping
from .restraint.locked_axes import set_locked_axes
from .sampled_targets import SampledControls, sampled_controls
from .shapes.filters import CollisionFilter
from .shapes.geoms import add_geoms, add_sites, describe_geoms, keep_orientations, kept_geoms
from .shapes.meshes import add_meshes, restore_elevations
from .shapes.surface_velocity import (
    add_surface_velocities,
    set_surface_velocities,
)
from .shapes.visuals import without_looks
from .sleeping import let_sleep
from .tables import name_table
from .validate import validate

logger = logging.getLogger("usdsim")

__all__ = ["CompiledModel", "compile_scene", "compile_with_spec"]


@dataclass(frozen=True, eq=False)
class StandIn:
    """An engine body that moves as one with a body of the scene."""

    body: int
    """Engine index of that body."""
    pose: Pose
    """Frame of the engine's body in the frame of that body [m]."""


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """A scene in the engine's terms."""

    mj: mujoco.MjModel
    """The engine's model."""
    scene: SceneDescription
    """Description it was compiled from."""
    names: NameTable
    """Indices by prim path and name."""
    initial: InitialState
    """State at time zero."""
    surfaces: SurfaceTable
    """Friction and restitution of geoms, and how they combine."""
    breakable: Breakable
    """Joints that give way to loads; see `breaking.broken_joints`."""
    acceleration_drives: NDArray[np.intp]
    """Actuator and degree of freedom of drives with gains per inertia, shape (drives, 2)."""
    sampled_controls: tuple[SampledControls, ...] = ()
    """Controls of drives whose targets are sampled."""
    mixed_pairs: tuple[tuple[int, str, float], ...] = ()
    """Contact pairs made for materials: index in the model, how friction combines, and the ratio of
    torsional to sliding friction [m], 0: that of the materials."""
    notes: tuple[tuple[str, str], ...] = ()
    """Prim path and message of what the engine does differently or not at all."""
    exact: bool = False
    """Whether it has what physics does not need."""
    deformables: tuple[CompiledDeformable, ...] = ()
    """Deformable bodies, in the scene's order."""
    sleeps: bool = False
    """Whether bodies at rest may sleep in the engines that can let them."""
    stand_ins: Mapping[int, StandIn] = field(default_factory=dict)
    """Bodies that the engine's bodies made for joints that close loops move as one with."""
    departures: tuple[tuple[str, str], ...] = ()
    """The notes on what differs from the start, not only once values are changed."""
    cones: ConeLimits = field(default_factory=ConeLimits)
    """Limits of axes of balls."""
    authored_qpos: NDArray[np.float64] | None = None
    """Initial positions as authored, shape (nq,), where limits of joints moved the start."""
    parts: PartModels | None = None
    """Models of the parts that a large scene was compiled in; None: it was compiled as a whole."""

    @cached_property
    def body_ids(self) -> NDArray[np.intp]:
        """Engine bodies that are bodies of the scene, ascending, shape (bodies,).

        The others are the world, vertices of deformable bodies, and what the engine has for joints.
        """
        return np.flatnonzero([bool(path) for path in self.names.paths("body")])[1:]

    @cached_property
    def num_sensors(self) -> int:
        """Number of sensors without those by which the engine feels contacts, which come last."""
        return int(self.mj.nsensor) - len(self.surfaces.sticking)

    @cached_property
    def num_bodies(self) -> int:
        """Number of engine bodies without those of deformable ones, which come last."""
        return int(self.mj.nbody) - sum(body.num_bodies for body in self.deformables)

    def deformable(self, path: str) -> CompiledDeformable:
        """The deformable body of a prim path, its own or that of its simulation mesh.

        Raises:
            UnknownNameError: there is none.
        """
        return find_deformable(self.deformables, path, self.scene.source)

    @cached_property
    def loose_scene(self) -> CompiledModel:
        """The scene compiled so that any body's inertial frame and joints may move.

        The engine steps lone bodies whose mass matrix is diagonal faster (MuJoCo calls them
        simple), and cannot turn them into others later.
        """
        return _compile(self.scene, self.exact, loose=True)[0]

    @property
    def loose(self) -> mujoco.MjModel:
        """The model of `loose_scene`."""
        return self.loose_scene.mj

    def again(self, *, loose: bool, memory: int | None = None) -> mujoco.MjModel:
        """Compile the same scene with other layout or memory.

        Args:
            loose: as `loose` is.
            memory: of a world for contacts and constraints [bytes]; None: sized from the scene.
        """
        return _compile(self.scene, self.exact, loose=loose, memory=memory)[0].mj

    @cached_property
    def arena_grows(self) -> bool:
        """Whether the memory for contacts was sized from the scene, and may turn out too small."""
        return sizes_arena(self.scene, int(self.mj.nbody))


def compile_scene(scene: SceneDescription, *, exact: bool = False) -> CompiledModel:
    """Compile a description for the engine.

    Args:
        scene: what to simulate.
        exact: keep what physics does not need: visual geoms, their meshes and materials.

    Raises:
        CompileError: the description is physically invalid, or the engine refuses it.
    """
    validate(scene)
    return _compile(scene, exact)[0]


def compile_with_spec(
    scene: SceneDescription, *, exact: bool = False
) -> tuple[CompiledModel, mujoco.MjSpec]:
    """`compile_scene` for other engines, and the specification of the model.

    What the engine's compiler has no input for is set in the model alone, and not in the spec.
    Neither has the sensors by which static friction is felt, so only the dynamic one acts.
    """
    validate(scene)
    return _compile(scene, exact, feels=False, divisible=False)


def _compile(
    scene: SceneDescription,
    exact: bool,
    *,
    loose: bool = False,
    memory: int | None = None,
    feels: bool = True,
    divisible: bool = True,
) -> tuple[CompiledModel, mujoco.MjSpec]:
    """Compile in parts where that is faster, and as a whole where parts are not enough."""
    plain = scene if exact else without_looks(scene)
    build = Build(plain, exact, loose, names=element_names(scene), divisible=divisible)
    try:
        compiled = _compiled(build, scene, memory, feels)
    except (CompileError, NotJoinable) as error:
        if build.partition is None:
            raise
        logger.debug("compiled as a whole: %s", error)
        return _compile(scene, exact, loose=loose, memory=memory, feels=feels, divisible=False)
    build.tell()
    return compiled, build.spec


def _compiled(
    build: Build, scene: SceneDescription, memory: int | None, feels: bool
) -> CompiledModel:
    _assemble(build)
    sensors = feel_contacts(build, [p for p in build.pairs if p.sticks]) if feels else []
    set_memory(build, memory)
    model = _model(build)
    keep_orientations(build, model)
    steady_rotors(build, model)
    restore_elevations(build, model)
    keep_skin_weights(build.spec, model)
    acceleration_drives = scale_acceleration_drives(build, model)
    set_body_damping(build, model)
    set_locked_axes(build, model)
    set_limit_compliance(build, model)
    cones = set_cone_limits(build, model)
    set_surface_velocities(build, model)
    pairs = build.pairs
    sticking = [pair for pair in pairs if pair.sticks and feels]
    surfaces = surface_table(build, model, pairs, sticking_table(model, sticking, sensors))
    set_compliance(build, model, pairs)
    deformables = compiled_deformables(build, model)
    set_soft_damping(model, deformables)
    set_soft_bending(model, deformables)
    initial, authored = initial_state(build, model, deformables)
    set_keyframes(build, model, initial, deformables)
    return CompiledModel(
        mj=model,
        scene=scene,
        names=name_table(build, model),
        initial=initial,
        surfaces=surfaces,
        breakable=breakable_joints(build, model),
        acceleration_drives=acceleration_drives,
        sampled_controls=sampled_controls(build, model),
        mixed_pairs=tuple((pair.element.id, pair.mode, pair.radius) for pair in pairs),
        notes=tuple(build.notes),
        exact=build.exact,
        deformables=deformables,
        sleeps=let_sleep(build, model),
        stand_ins={
            e.id: StandIn(build.bodies[owner].id, place) for e, owner, place in build.stand_ins
        },
        departures=tuple(build.departures),
        cones=cones,
        authored_qpos=authored,
        parts=build.parts,
    )


def _gathered(scene: SceneDescription) -> Iterator[tuple[str, ...]]:
    """Paths of what tuples gather."""
    for element in scene.elements:
        if element.kind == "tuple":
            yield from element.targets.values()


def _model(build: Build) -> mujoco.MjModel:
    """The model, whose drives are integrated implicitly where they need it."""
    model = compile_spec(build)
    if build.partition is not None:
        model = join_parts(build, build.partition, model)
    if needs_implicit_drives(build, model):
        use_implicit_drives(build, model)
    return model


def _assemble(build: Build) -> None:
    """Fill the spec."""
    scene = build.scene
    set_options(build)
    set_soft_options(build)
    build.template = build.spec.copy()
    build.partition = plan(build) if build.divisible else None
    add_bodies(build)
    if build.partition is not None:
        build.partition.close()
    kept = kept_geoms(build)
    used = {key for i in kept if (key := scene.geoms[i].mesh) is not None}
    used |= {path for paths in _gathered(scene) for path in paths if path in scene.meshes}
    used |= {site.mesh for site in scene.sites if site.mesh is not None}
    add_geoms(build, kept)
    add_meshes(build, used)
    describe_geoms(build)
    add_surface_velocities(build)
    add_sites(build)
    add_constraints(build)
    # After all others: what counts bodies need not skip vertices.
    add_deformables(build)
    build.pairs = add_contact_pairs(build, CollisionFilter(build))
    add_drives(build)
    add_elements(build.spec, scene, build.names, [*build.bodies, build.spec.worldbody])
    add_keyframes(build)
    add_targets(build)
