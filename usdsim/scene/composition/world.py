"""Composition of models in code: load, attach with names and poses of their own, build."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from usdsim.converters.sniff import source_kind
from usdsim.core.arguments import of_kind
from usdsim.core.errors import (
    InvalidValueError,
    MissingFileError,
    UnknownNameError,
    UnsupportedError,
)
from usdsim.exporters.mjcf.export import editable_spec
from usdsim.math.rotations import quat_to_wxyz
from usdsim.scene.checks import finite_numbers, unit_quaternion
from usdsim.scene.load import load_model
from usdsim.scene.model.scene_model import SceneModel
from usdsim.scene.process import urdf_options

from .actuators import Actuator
from .assets import AssetSpecs
from .constraints import CollisionIgnores, ContactPairSet, EqualityConstraintSet, TendonSet
from .elements import Home, WorldPart, WorldParts, world_parts
from .fragments import add_open, read_part
from .links import Hierarchy
from .local_sensors import give_sites
from .sensors import SensorSet
from .settings import (
    CompileOptions,
    FreeCamera,
    Keyframe,
    SceneStatistic,
    SimulateOption,
    Visual,
)

__all__ = ["World", "build", "from_file", "from_str"]

_PLACE, _TURN = "other_translation", "other_rotation"
_STEP = 0.01
"""Time step of a world of parts [s], as programs written for MotrixSim take for granted."""
_SHORT = 0.05
"""Tolerance of the length of a quaternion written by hand."""


def _subject(kind: type[WorldPart], summary: str) -> Any:
    """Property of a world that is one subject of it; what is assigned is said of the world."""

    def read(world: World) -> Any:
        return world._home.handle(kind, kind._add(world.spec))

    def write(world: World, value: Any) -> None:
        subject = read(world)
        if value is not subject:
            subject._take(value)

    return property(read, write, doc=summary)


def _elements(kind: type[WorldPart], attribute: str, summary: str) -> Any:
    """Property of a world that is all elements of a kind."""

    def read(world: World) -> WorldParts:
        return world_parts(world._home, kind, attribute)

    return property(read, lambda world, values: read(world).become(values), doc=summary)


class World:
    """An editable model, of parts or of other models, attached as often as wanted.

    `spec` is the whole of it, to edit as MuJoCo does; everything else here reads and writes that.
    To compose stages by reference, see ``load_model([first, second])``.

    Args:
        spec: what it starts from; None: an empty world.
        source_path: file it was read from, or that its text belongs to.
    """

    def __init__(self, spec: mujoco.MjSpec | None = None, source_path: Path | None = None):
        if spec is None:
            spec = mujoco.MjSpec()
            spec.option.timestep = _STEP
        self._home = Home(spec)
        self.source_path = source_path
        """File it was read from, or that its text belongs to; None: there is none."""

    @property
    def spec(self) -> mujoco.MjSpec:
        """The model as MuJoCo's editor has it."""
        return self._home.spec

    @property
    def name(self) -> str:
        """Name of the model."""
        return str(self.spec.modelname)

    @name.setter
    def name(self, value: str) -> None:
        self.spec.modelname = value

    hierarchy = _subject(
        Hierarchy, "Links, geoms, cameras, lights and sites that stand in the world itself."
    )
    assets = _subject(AssetSpecs, "Meshes, height fields, textures and materials, by name.")
    sensors = _subject(SensorSet, "Sensors, by kind.")
    equality_constraint_set = _subject(EqualityConstraintSet, "Equalities, by kind.")
    tendon_set = _subject(TendonSet, "Tendons of joints.")
    collision_ignores = _subject(CollisionIgnores, "Pairs of links that do not collide.")
    contact_pairs = _subject(ContactPairSet, "Pairs of geoms with a law of their own.")
    simulate_option = _subject(SimulateOption, "Settings of the dynamics.")
    compile_options = _subject(CompileOptions, "Settings of how the world is built.")
    statistic = _subject(SceneStatistic, "Size of the world and where its middle is.")
    visual = _subject(Visual, "Settings of pictures.")
    free_camera = _subject(FreeCamera, "View that a window begins with.")
    actuators = _elements(Actuator, "actuators", "Actuators.")
    keyframes = _elements(Keyframe, "keys", "States by name.")

    def deepcopy(self) -> World:
        """Another world like this one, which shares nothing with it."""
        return World(self.spec.copy(), self.source_path)

    def attach(
        self,
        other: World,
        self_link_name: str | None = None,
        other_link_name: str | None = None,
        other_translation: ArrayLike | None = None,
        other_rotation: ArrayLike | None = None,
        other_prefix: str | None = None,
        other_suffix: str | None = None,
    ) -> World:
        """Add a copy of another world, or of one of its links with all that hangs on it.

        Actuators, sensors and constraints come along where what they refer to does.

        Args:
            other: what is copied; it may be attached again.
            self_link_name: link of this world that carries it, rigidly; None: the world itself.
            other_link_name: link of `other` that is taken; None: everything.
            other_translation: where its frame is in that of the link that carries it [m], (3,).
            other_rotation: how it is turned there, a unit quaternion (x, y, z, w).
            other_prefix: in front of all names of the copy.
            other_suffix: behind all names of the copy.

        Returns:
            This world.

        Raises:
            UnknownNameError: there is no such link.
            InvalidValueError: the pose is none, or a name would be there twice; the prefix is for
                that. Nothing is attached then.
        """
        of_kind("other", other, World, "a World: from_file(path) gives one")
        pos, quat = _pose(other_translation, other_rotation)
        names = other_prefix or "", other_suffix or ""

        def join(spec: mujoco.MjSpec) -> None:
            child = other.spec.copy()
            holder = _link(spec, self_link_name) if self_link_name else spec.worldbody
            frame = holder.add_frame(pos=pos, quat=quat)
            if other_link_name is not None:
                frame.attach_body(_link(child, other_link_name), *names)
            else:
                spec.attach(child, *names, frame=frame)
                add_open(spec, other.spec, *names)

        trial = self.spec.copy()
        try:
            join(trial)
            trial.compile()
        except UnknownNameError:
            raise
        except (ValueError, RuntimeError, mujoco.FatalError) as error:
            raise _not_attached(other.name, names, error) from error
        # In place, so that handles of what was there before stay good.
        join(self.spec)
        return self

    def add_ground_plane(self, height: float = 0.0) -> None:
        """Add an endless plane at a height [m] that everything collides with."""
        self.spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, float(height)]
        )

    def build(self, **options: Any) -> SceneModel:
        """The model, ready to simulate; its ``stage`` may be saved.

        Args:
            options: more arguments of `load_model`, such as ``exact``.

        Raises:
            ConversionError: MuJoCo refuses the model.
        """
        spec = self.spec.copy()
        give_sites(spec)
        return load_model(spec, **options)

    def __repr__(self) -> str:
        return f"<World {self.name!r}: {len(self.spec.bodies) - 1} links>"


def from_file(path: str | os.PathLike[str]) -> World:
    """Start from a file: MJCF, a stage, or URDF.

    What MuJoCo's editor cannot say of a stage or of URDF, such as joints that break, is a warning;
    ``load_model([first, second])`` composes those with nothing lost.

    Raises:
        FileError: there is no such file, or its kind is not known.
        ConversionError: it cannot be read.
        ParseError: the stage has no physics, or is physically invalid.
    """
    file = Path(path)
    if not file.is_file():
        raise MissingFileError(f"Cannot load {os.fspath(path)!r}: there is no such file.")
    if source_kind(file) == "mjcf":
        return World(read_part(file), file)
    return World(_converted(file), file)


def _converted(file: Path) -> mujoco.MjSpec:
    """Model of a stage or of URDF as MuJoCo's editor has it."""
    spec, report = editable_spec(file, **urdf_options(source_kind(file)))
    report.log()
    if spec.modelname in ("", "MuJoCo Model"):
        spec.modelname = file.stem
    _name_drives(spec)
    return spec


def _name_drives(spec: mujoco.MjSpec) -> None:
    """Call actuators that stand for drives as their joints' prims, as `load_model` does."""
    leaves = Counter(actuator.name.rpartition("/")[2] for actuator in spec.actuators)
    referred = {sensor.objname for sensor in spec.sensors}
    for actuator in spec.actuators:
        leaf = actuator.name.rpartition("/")[2]
        if actuator.name.startswith("/") and leaves[leaf] == 1 and actuator.name not in referred:
            actuator.name = leaf


def from_str(
    string: str, format: str = "mjcf", file_path: str | os.PathLike[str] | None = None
) -> World:
    """Start from the text of MJCF or URDF.

    MJCF may be a fragment, whose sensors and pairs of shapes refer to what the world has that it
    is attached to.

    Args:
        string: the text.
        format: ``"mjcf"`` or ``"urdf"``.
        file_path: a file beside which the files that the text names are looked up; of URDF, the
            file that has the text.

    Raises:
        ConversionError: it cannot be read.
        UnsupportedError: another format.
    """
    if format not in ("mjcf", "urdf"):
        raise UnsupportedError(f"Text of format {format!r} cannot be composed; 'mjcf', 'urdf' can.")
    if not isinstance(string, str) or not string.lstrip().startswith("<"):
        raise InvalidValueError("string", string, "XML text; from_file(path) reads files")
    file = None if file_path is None else Path(file_path)
    if format == "mjcf":
        return World(read_part(string, file and file.parent), file)
    if file is not None and file.is_file() and file.read_text(encoding="utf-8") == string:
        return World(_converted(file), file)
    with tempfile.TemporaryDirectory(prefix="usdsim-") as folder:
        written = Path(folder, "robot.urdf" if file is None else f"{file.stem}.urdf")
        written.write_text(string, encoding="utf-8")
        return World(_converted(written), file)


def build(world: World) -> SceneModel:
    """The same as ``world.build()``."""
    return world.build()


def _not_attached(name: str, names: tuple[str, str], error: Exception) -> InvalidValueError:
    return InvalidValueError(
        "other",
        f"{name!r} with prefix {names[0]!r} and suffix {names[1]!r}",
        f"what MuJoCo can attach ({' '.join(str(error).split())})",
        "other_prefix keeps the names of copies apart. Nothing was attached.",
    )


def _link(spec: mujoco.MjSpec, name: str) -> Any:
    found = spec.body(name)
    if found is None:
        raise UnknownNameError(
            "link", name, [body.name for body in spec.bodies[1:]], spec.modelname
        )
    return found


def _pose(translation: ArrayLike | None, rotation: ArrayLike | None) -> tuple[Any, Any]:
    """Position [m] and quaternion (w, x, y, z) of a frame."""
    pos = finite_numbers((0, 0, 0) if translation is None else translation, (), (3,), _PLACE)
    quat = finite_numbers((0, 0, 0, 1) if rotation is None else rotation, (), (4,), _TURN)
    norm = float(np.linalg.norm(quat))
    # Rotations are often written with two decimals.
    if abs(norm - 1.0) < _SHORT:
        quat = quat / norm
    return pos, quat_to_wxyz(unit_quaternion(quat, _TURN))
