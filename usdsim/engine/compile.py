"""From a scene description to a compiled model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mujoco

from usdsim.parser.description import SceneDescription

from .bodies import add_bodies, set_free_damping
from .constraints import add_constraints
from .contacts import ContactPair, add_contact_pairs, set_compliance
from .context import Build
from .drives import add_drives, scale_acceleration_drives
from .errors import compile_spec
from .filters import CollisionFilter
from .geoms import add_geoms, add_sites, kept_geoms
from .initial import InitialState, initial_state
from .joints import set_limit_compliance
from .looks import without_looks
from .meshes import add_meshes, restore_elevations
from .mujoco import add_elements, element_names
from .names import NameTable
from .options import needs_implicit_drives, set_options, use_implicit_drives
from .surface_table import SurfaceTable, surface_table
from .tables import name_table
from .validate import validate

__all__ = ["CompiledModel", "compile_scene"]


@dataclass(frozen=True, eq=False)
class CompiledModel:
    """A scene in the engine's terms."""

    mj: mujoco.MjModel
    """The engine's model."""
    scene: SceneDescription
    """What it was compiled from."""
    names: NameTable
    """Indices by prim path and name."""
    initial: InitialState
    """State at time zero."""
    surfaces: SurfaceTable
    """Friction and restitution of geoms, and how they combine."""
    mixed_pairs: tuple[tuple[int, str], ...] = ()
    """Contact pairs made for materials: index in the model and how friction combines."""
    notes: tuple[tuple[str, str], ...] = ()
    """Prim path and message of what the engine does differently or not at all."""
    exact: bool = False
    """Whether it has what physics does not need."""

    @cached_property
    def loose(self) -> mujoco.MjModel:
        """The model compiled so that any body's inertial frame and joints may move.

        The engine steps lone bodies whose mass matrix is diagonal faster (MuJoCo calls them
        simple), and cannot turn them into others later.
        """
        return _compile(self.scene, self.exact, loose=True).mj


def compile_scene(scene: SceneDescription, *, exact: bool = False) -> CompiledModel:
    """Compile a description for the engine.

    Args:
        scene: what to simulate.
        exact: keep what physics does not need: visual geoms, their meshes and materials.

    Raises:
        CompileError: the description is physically invalid, or the engine refuses it.
    """
    validate(scene)
    return _compile(scene, exact)


def _compile(scene: SceneDescription, exact: bool, *, loose: bool = False) -> CompiledModel:
    names = element_names(scene)
    build = Build(scene if exact else without_looks(scene), exact, loose, names=names)
    pairs = _assemble(build)
    model = compile_spec(build)
    if needs_implicit_drives(build, model):
        use_implicit_drives(build)
        model = compile_spec(build)
    restore_elevations(build, model)
    scale_acceleration_drives(build, model)
    set_free_damping(build, model)
    set_limit_compliance(build, model)
    surfaces = surface_table(build, model, pairs)
    set_compliance(build, model, pairs)
    return CompiledModel(
        model,
        scene,
        name_table(build, model),
        initial_state(build, model),
        surfaces,
        tuple((pair.element.id, pair.mode) for pair in pairs),
        tuple(build.notes),
        exact,
    )


def _assemble(build: Build) -> list[ContactPair]:
    """Fill the spec; returns the contact pairs made for materials and filters."""
    scene = build.scene
    set_options(build)
    add_bodies(build)
    kept = kept_geoms(build)
    used = {key for i in kept if (key := scene.geoms[i].mesh) is not None}
    used |= {site.mesh for site in scene.sites if site.mesh is not None}
    add_meshes(build, used)
    add_geoms(build, kept)
    add_sites(build)
    add_constraints(build)
    pairs = add_contact_pairs(build, CollisionFilter(build))
    add_drives(build)
    add_elements(build.spec, scene, build.names, [*build.bodies, build.spec.worldbody])
    return pairs
