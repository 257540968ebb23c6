"""Stage parser: the passes that turn a composed stage into a description."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pxr import Sdf, Usd

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.math.transforms import Pose
from usdsim.parser.bodies.animation import report_other_samples
from usdsim.parser.bodies.articulations import parse_articulations
from usdsim.parser.bodies.describe import describe_bodies
from usdsim.parser.bodies.forces import parse_forces
from usdsim.parser.bodies.least_inertia import with_least_inertia
from usdsim.parser.bodies.mass import MassPass
from usdsim.parser.bodies.mass_centres import keep_mass_centres
from usdsim.parser.bodies.rigid_bodies import collect_bodies
from usdsim.parser.bodies.sites import is_site_view, parse_sites
from usdsim.parser.bodies.surface_velocity import report_surfaces_without_body
from usdsim.parser.bodies.topology import build_forest
from usdsim.parser.deformables.bodies import DeformablePass
from usdsim.parser.joints.attachment_points import parse_attachment_points
from usdsim.parser.joints.authored import JointRecord, collect_joints
from usdsim.parser.joints.couplings import Couplings
from usdsim.parser.joints.frames import InitialPoses, settle_frames
from usdsim.parser.joints.gears import parse_gears
from usdsim.parser.joints.links import RestPoses, describe_joints
from usdsim.parser.joints.servos import Servos
from usdsim.parser.joints.tendons import parse_tendons
from usdsim.parser.joints.velocities import with_joint_velocities
from usdsim.parser.scenes.gravity import SceneGravity
from usdsim.parser.scenes.ownership import Ownership
from usdsim.parser.scenes.settings import (
    SceneSettings,
    loose_timestep,
    parse_scene,
    unshared_settings,
)
from usdsim.parser.shapes.colliders import collect_colliders
from usdsim.parser.shapes.filters import (
    add_joint_filters,
    parse_filters,
    parse_groups,
    with_ungrouped,
)
from usdsim.parser.shapes.geoms import GeomPass, is_shape, report_shapeless
from usdsim.parser.shapes.materials import Materials
from usdsim.parser.shapes.meshes import MeshLibrary
from usdsim.parser.shapes.visuals import VisualShape, visual_shapes
from usdsim.usd.bulk import uncollected
from usdsim.usd.stage import open_stage, stage_name

from .composition import name_layers, report_composition
from .context import ParseContext, open_context
from .description import (
    BodyDescription,
    CollisionGroupDescription,
    GenericDescription,
    SceneDescription,
    SiteDescription,
)
from .legacy import report_legacy
from .mjc import (
    MujocoElements,
    MujocoReader,
    is_library,
    with_fitting_keyframes,
    without_dangling,
)
from .prims import PrimView
from .quantities import DIALECTS
from .readable import readable
from .report import Report
from .unread import report_unread
from .validate import validate

_PLAIN = frozenset(
    ("Xform", "Scope", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsFixedJoint")
)

__all__ = ["ParseResult", "parse_stage"]


@dataclass(frozen=True, slots=True, eq=False)
class ParseResult:
    """A stage's physics, and what parsing had to say about it."""

    scene: SceneDescription
    report: Report
    visuals: tuple[VisualShape, ...] = ()
    """Shapes that are only looked at, which the scene leaves out."""


@uncollected()
def parse_stage(
    stage: str | os.PathLike[str] | Usd.Stage,
    *,
    root: str = "/",
    exact: bool = False,
    strict: bool = False,
    precedence: Sequence[str] = DIALECTS,
    initial_poses: InitialPoses = "joints",
    exclude: Iterable[str] = (),
    allow_empty: bool = False,
) -> ParseResult:
    """Read the physics of a composed stage.

    Args:
        stage: an open stage, or the path of one.
        root: prim below which to read; joints must not lead out of it.
        exact: describe shapes that are only visible too.
        strict: refuse stages on which anything authored has no effect.
        precedence: which dialect wins where several state one quantity.
        initial_poses: what the initial state follows where joint frames and body poses disagree:
            the frames of the ``joints``, or the poses of the ``bodies``, to which frames then move.
        exclude: prims to leave out, with all below them, as if they were not on the stage; joints
            of the rest must not lead into them.
        allow_empty: whether a stage without any physics is an empty world instead of an error.

    Raises:
        FileError: the file is missing or no stage.
        StageError: `root` is no prim.
        ParseError: the stage is physically invalid, or has no physics; lists every problem.
    """
    opened = open_stage(stage)
    if not Sdf.Path.IsValidPathString(str(root)) or not opened.GetPrimAtPath(str(root)):
        raise StageError(f"{root} is no prim of {stage_name(opened)}.")
    if not isinstance(precedence, tuple | list):
        raise InvalidValueError("precedence", precedence, f"a list of {', '.join(DIALECTS)}")
    report = Report()
    with readable(opened):
        context = open_context(
            opened, root, report, precedence=precedence, exact=exact, exclude=frozenset(exclude)
        )
        report_composition(context)
        report_legacy(context)
        parse = _Parse(context)
        scene = parse.run(initial_poses)
        scene = validate(context, scene, allow_empty=allow_empty)
        report_unread(context)
        name_layers(context)
        report.raise_if(strict=strict, source=stage_name(opened))
        return ParseResult(scene, report, parse.visuals)


class _Parse:
    """The passes, in order; each fills what later ones need."""

    def __init__(self, context: ParseContext):
        self.context = context
        self.reader = MujocoReader(context)
        self.library = MeshLibrary(context)
        self.materials = Materials(context)
        self.geoms = GeomPass(context, self.materials, self.reader, self.library)
        self.deformables = DeformablePass(context, self.library)
        self.colliders = collect_colliders(context, self.deformables.claimed)
        self.visuals: tuple[VisualShape, ...] = ()

    def run(self, initial_poses: InitialPoses) -> SceneDescription:
        """All passes."""
        context, reader = self.context, self.reader
        settings = parse_scene(context, reader)
        ownership = Ownership(context, settings)
        records = collect_bodies(context, self.colliders)
        ownership.check(records)
        context.number([record.view for record in records], range(len(records)))
        found = reader.elements(
            view for view in context.views if view.in_mujoco or not _is_plain(view)
        )
        for path in found.owned:
            owned = context.by_path.get(path)
            if owned is not None:
                owned.read.update(owned.names.difference(owned.mujoco))
        immovable = frozenset(i for i, record in enumerate(records) if record.kinematic)
        links = ownership.within(collect_joints(context, immovable, found.owned), records)
        forest = build_forest(context, records, links)
        moved = settle_frames(context, records, links, forest, initial_poses)
        poses = RestPoses(context, records, links, forest)
        number = forest.numbers()
        servos = Servos(context, found.actuators)
        couplings = Couplings(context, found.elements)
        joints = describe_joints(context, reader, links, forest, poses, servos, couplings)
        found = replace(found, elements=couplings.elements)
        context.number([record.view for record in records], number)
        found = _renumbered(found, number)
        tendons = parse_tendons(context, joints)
        sites = self._shapes(found)
        self.deformables.describe(self.geoms.by_path, self.geoms.found)
        weights = MassPass(context, self.geoms, self.materials, self.colliders)
        bodies = describe_bodies(context, reader, records, forest, poses, joints, weights)
        bodies = with_least_inertia(bodies, joints, context.report)
        bodies, joints = with_joint_velocities(context, bodies, joints)
        forces = parse_forces(context, bodies)
        gravity = SceneGravity(context, settings, ownership)
        bodies = gravity.of_bodies(bodies, forces)
        report_surfaces_without_body(context)
        report_other_samples(context, bodies, joints, forces.actuators)
        scene = SceneDescription(
            **self._settings(settings),
            bodies=bodies,
            joints=tuple(joints),
            geoms=tuple(self.geoms.found),
            sites=(*sites, *tendons.sites, *forces.sites, *parse_attachment_points(context)),
            materials=tuple(self.materials.found),
            meshes={**found.meshes, **self.library.found},
            height_fields={**found.height_fields, **self.library.fields},
            actuators=(*servos.actuators, *forces.actuators),
            elements=(*found.elements, *tendons.elements, *parse_gears(context, joints)),
            articulations=parse_articulations(context, bodies, joints),
            groups=self._groups(ownership, bodies, found),
            deformables=gravity.of_deformables(self.deformables.found),
        )
        ownership.report(unshared_settings(context))
        scene = keep_mass_centres(scene, {number[i]: pose for i, pose in moved.items()})
        scene = self._filtered(scene, links, found)
        scene = without_dangling(context.stage, scene, context.report)
        scene = with_fitting_keyframes(context, scene)
        return replace(scene, timestep=loose_timestep(context, scene))

    def _groups(
        self, ownership: Ownership, bodies: Sequence[BodyDescription], found: MujocoElements
    ) -> tuple[CollisionGroupDescription, ...]:
        geoms, soft = self.geoms, self.deformables
        groups = soft.grouped(
            parse_groups(self.context, self.colliders, geoms.by_path, found.owned)
        )
        groups = with_ungrouped(self.context, groups, len(geoms.found), len(soft.found))
        apart = ownership.groups(
            self.colliders, geoms.by_path, geoms.found, bodies, soft.found, len(groups)
        )
        return (*groups, *apart)

    def _settings(self, settings: SceneSettings) -> dict[str, Any]:
        context = self.context
        default = context.by_path.get(str(context.stage.GetDefaultPrim().GetPath()))
        return {
            "source": stage_name(context.stage),
            "name": None if default is None else default.source_name,
            "gravity": settings.gravity,
            "timestep": settings.timestep,
            "bounce_threshold": settings.bounce_threshold,
            "options": settings.options,
            "world_from_stage": Pose(quat=context.units.to_z_up.copy()),
            "meters_per_unit": context.units.length,
        }

    def _filtered(
        self, scene: SceneDescription, links: Sequence[JointRecord], found: MujocoElements
    ) -> SceneDescription:
        members = {articulation.path: articulation.bodies for articulation in scene.articulations}
        owners = [geom.body for geom in scene.geoms]
        soft = self.deformables
        filters = parse_filters(self.context, self.geoms.by_path, members, owners, soft.owns)
        add_joint_filters(self.context, filters, links, self.geoms.by_path, owners)
        excluded = {
            (min(ends), max(ends))
            for ends in ([self.context.bodies.get(p, -1) for p in pair] for pair in found.filtered)
            if len(ends) == 2
        }
        return replace(
            scene,
            body_filters=frozenset(filters.bodies - excluded),
            geom_filters=frozenset(filters.geoms),
            deformable_filters=soft.filters(self.geoms.by_path, owners),
        )

    def _shapes(self, found: MujocoElements) -> tuple[SiteDescription, ...]:
        """Geoms: colliders, what other elements refer to, and all the rest if exact."""
        context = self.context
        targets = [element.targets for element in found.elements]
        targets += [actuator.targets for actuator in found.actuators]
        wanted = {path for links in targets for paths in links.values() for path in paths}
        groups = {collider.owner for collider in self.colliders.values()}
        assets = ""
        shapes, sites, seen = [], [], []
        for view in context.views:
            if assets and view.path.startswith(assets):
                # An asset that nothing in use refers to stays on the stage, unread but not lost.
                view.kept = True
                continue
            assets = view.path + "/" if is_library(view) else ""
            if assets or view.path in found.owned or view.path in self.deformables.claimed:
                continue
            if is_site_view(view):
                sites.append(view)
            elif view.path in self.colliders or (
                is_shape(view) and (view.path in wanted or context.exact)
            ):
                shapes.append(view)
            elif "PhysicsCollisionAPI" in view.apis and view.path not in groups:
                report_shapeless(context, view)
            elif is_shape(view):
                # Only visible: it stays on the stage, unread but not lost.
                view.kept = True
                seen.append((len(shapes), view))
        self.geoms.run(shapes, self.colliders)
        numbers = [len(self.geoms.by_path.get(view.path, ())) for view in shapes]
        self.visuals = visual_shapes(context, seen, numbers)
        return parse_sites(context, self.reader, sites)


def _is_plain(view: PrimView) -> bool:
    """Whether a prim without anything of the MuJoCo dialect means nothing to its reader."""
    return is_shape(view) or view.type_name in _PLAIN


def _renumbered(found: MujocoElements, number: Sequence[int]) -> MujocoElements:
    """Elements with the bodies' final numbers."""

    def moved(element: GenericDescription) -> GenericDescription:
        return element if element.body < 0 else replace(element, body=number[element.body])

    return replace(found, elements=tuple(moved(element) for element in found.elements))
