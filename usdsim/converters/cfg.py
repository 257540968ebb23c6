"""Options of the converters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from usdsim.core.arguments import number, whole
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError
from usdsim.math.quaternion_order import identity_rot

__all__ = [
    "CONFIGURATIONS",
    "CONVERT_DEFAULTS",
    "AssetConverterBaseCfg",
    "JointDriveCfg",
    "MeshConverterCfg",
    "MjcfConverterCfg",
    "NaturalFrequencyGainsCfg",
    "PDGainsCfg",
    "UrdfConverterCfg",
    "check_choice",
    "check_options",
]

Values = float | Mapping[str, float]
"""One number for all joints, or a number per pattern of joint names."""

CONVERT_DEFAULTS: Mapping[str, Any] = {"merge_fixed_joints": False}
"""Fields whose default is another for `convert` and the command: all names of a file stay."""


@dataclass(kw_only=True)
class AssetConverterBaseCfg(Configuration):
    """Source and destination, which every converter needs."""

    asset_path: str = ""
    """File to convert."""
    usd_dir: str | None = None
    """Folder of the result; None: a folder of its own in the system's temporary folder."""
    usd_file_name: str | None = None
    """File name of the result; None: the source's name with ``.usd``."""
    force_usd_conversion: bool = False
    """Convert even if an up-to-date result exists."""
    make_instanceable: bool = True
    """Whether equal visible meshes are instances of one prototype."""
    structure: Literal["auto", "single", "layered"] = "auto"
    """One file, or an interface file with a payload of physics, materials, geometry and library, in
    binary, with variants of collision detail. ``auto``: one file, but layered for a ``.usda`` with
    over 30,000 points, indices and the like, which nobody reads as text."""
    target: Literal["mujoco", "newton", "physx", "all"] | None = None
    """Simulator that reads the result elsewhere: besides the standard attributes, those that it
    reads are authored. None: as the source says."""
    asset_roots: Sequence[str] | None = None
    """Folders that meshes, textures and included files are read from, besides the source's own.
    None: the source's folder, the package it lies in, and packages known by name. What lies
    elsewhere is refused; ``("/",)`` allows every file."""


@dataclass(kw_only=True)
class PDGainsCfg(Configuration):
    """Drive gains, as numbers or by pattern of joint names; None: as without a configuration."""

    stiffness: Values | None = 0.0
    """Force per error of position [N m/rad or N/m]."""
    damping: Values | None = 0.0
    """Force per error of velocity [N m s/rad or N s/m]."""


@dataclass(kw_only=True)
class NaturalFrequencyGainsCfg(Configuration):
    """Drive gains from the wanted behaviour of each joint with what it carries."""

    natural_frequency: Values = 0.0
    """Natural frequency of a joint with what it carries [rad/s]."""
    damping_ratio: Values = 0.005
    """Damping ratio of that swing; 1 is critically damped."""


@dataclass(kw_only=True)
class JointDriveCfg(Configuration):
    """Drives to author on the joints."""

    drive_type: Literal["force", "acceleration"] | Mapping[str, str] = "force"
    """Whether gains are forces, or accelerations independent of mass."""
    target_type: Literal["position", "velocity", "none"] | Mapping[str, str] = "position"
    """Target of the drives: ``velocity`` leaves out the stiffness, ``none`` both gains."""
    gains: PDGainsCfg | NaturalFrequencyGainsCfg = field(default_factory=PDGainsCfg)

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> JointDriveCfg:
        """Drives from plain values: fields of this class and of one kind of gains.

        Args:
            values: such as ``{"stiffness": 400.0, "damping": {"wrist.*": 1.0}}``.

        Raises:
            InvalidValueError: a name is unknown, or both kinds of gains are given.
        """
        own = {name: values[name] for name in ("drive_type", "target_type") if name in values}
        rest = {name: value for name, value in values.items() if name not in own}
        for kind in (PDGainsCfg, NaturalFrequencyGainsCfg):
            if set(rest) <= {option.name for option in fields(kind)}:
                return cls(gains=kind(**rest), **own)
        allowed = "stiffness and damping, or natural_frequency and damping_ratio"
        raise InvalidValueError("joint_drive", sorted(rest), f"drive_type, target_type, {allowed}")

    PDGainsCfg: ClassVar[type[PDGainsCfg]] = PDGainsCfg
    NaturalFrequencyGainsCfg: ClassVar[type[NaturalFrequencyGainsCfg]] = NaturalFrequencyGainsCfg


@dataclass(kw_only=True)
class UrdfConverterCfg(AssetConverterBaseCfg):
    """Options for URDF files."""

    fix_base: bool | None = None
    """Whether the root link is fixed to the world. None: as the file says, which means fixed unless
    it has a ``floating`` joint from the world."""
    free_root: bool = False
    """Whether the root link moves freely where neither `fix_base` nor a joint from the world says
    what it does."""
    root_link_name: str | None = None
    """Link to take as the base of the articulation; None: the root of the tree."""
    link_density: float = 0.0
    """Density of links without ``<inertial>`` that have collision shapes [kg/m^3]; 0: 1000."""
    merge_fixed_joints: bool = True
    """Make one body of links joined by fixed joints; the links stay as named frames."""
    convert_mimic_joints_to_normal_joints: bool = False
    """Leave out mimic relations."""
    joint_drive: JointDriveCfg | None = None
    """Drive gains; None: drives without gains that carry the effort limits."""
    joint_motors: bool = False
    """Motors named ``<joint>_motor`` in place of drives, whose command is the force [N] or torque
    [N m]; limits of effort do not bound it."""
    collider_type: Literal[
        "convex_hull", "convex_decomposition", "mesh", "bounding_box", "bounding_sphere", "sdf"
    ] = "convex_hull"
    """Approximation of collision meshes."""
    self_collision: bool | None = None
    """Whether links of the robot may collide with each other. None: as ``<gazebo>`` elements of the
    file say, which means not unless they say so."""
    replace_cylinders_with_capsules: bool = False
    """Collide with capsules of the same radius and total length in place of cylinders."""
    collision_from_visuals: bool = False
    """Collide with the visual shapes of links that have no collision shapes."""
    layout: Literal["nested", "flat"] = "nested"
    """Links below the links that carry them, or side by side below the robot; where more than 64
    would be below each other, the next one is below the robot."""
    nonphysical_inertia: Literal["repair", "error"] = "repair"
    """Treatment of inertias no body can have. A mass without moments is one where the joints that
    carry it turn about its centre: elsewhere it is a point, and nothing to repair."""
    missing_meshes: Literal["warn", "error"] = "warn"
    """Treatment of mesh files that cannot be found or read."""
    zero_limits: Literal["unlimited", "keep"] = "unlimited"
    """Meaning of an effort or velocity limit of 0: none, as generators write 0 where they know of
    no limit, or 0. A drive then has no force; a speed limit of 0 is written for other tools, and
    taken as unknown here."""
    gltf_up_axis: Literal["file", "y"] = "file"
    """Coordinates of glTF meshes: as the ``file`` has them, or turned from the ``y`` axis up, which
    the glTF standard says and most robot descriptions do not mean, to Z up."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """Folders of the packages that ``package://`` names refer to."""
    xacro_args: Mapping[str, str] = field(default_factory=dict)
    """Arguments for xacro files."""
    xacro_time_limit: float = 60.0
    """Longest time the expansion of a xacro file may take [s]."""
    xacro_memory_limit: float = 2048.0
    """Most memory the expansion of a xacro file may take [MiB]."""

    JointDriveCfg: ClassVar[type[JointDriveCfg]] = JointDriveCfg


@dataclass(kw_only=True)
class MjcfConverterCfg(AssetConverterBaseCfg):
    """Options for MJCF files; the defaults keep the model exactly as MuJoCo compiles it."""

    fix_base: bool | None = None
    """Whether free root bodies are fixed to the world; None: as the file says."""
    import_inertia_tensor: bool = True
    """Keep the compiled inertias; False lets them follow from density."""
    import_sites: bool = True
    """Convert sites."""
    self_collision: bool | None = None
    """Whether bodies of the model may collide with each other; None: as the file says."""
    keyframe: str | None = None
    """Keyframe that the stage starts in; an empty name: the reference pose. None: the first one
    where `target` is a simulator that knows no keyframes (newton, physx, all), else the reference
    pose."""
    max_copies: int = 1_000_000
    """Greatest number of copies of one element that ``<replicate>`` and sizes may ask for; a
    vertex of a generated mesh counts as 4, a pixel as 0.01."""


@dataclass(kw_only=True)
class MeshConverterCfg(AssetConverterBaseCfg):
    """Options for mesh files."""

    mass_props: Any = None
    """`MassPropertiesCfg`, or a mapping with ``mass`` [kg] or ``density`` [kg/m^3]."""
    rigid_props: Any = None
    """`RigidBodyPropertiesCfg`, or anything true: the mesh becomes a rigid body."""
    collision_props: Any = None
    """`CollisionPropertiesCfg`, or anything true: the mesh collides."""
    mesh_collision_props: Any = None
    """Mesh collision properties, or an approximation name such as ``convex_hull``."""
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Position of the file's origin in the result [m]."""
    rotation: tuple[float, float, float, float] = field(default_factory=identity_rot)
    """Orientation of the file in the result, xyzw, unless
    `usdsim.math.quaternion_order.set_quaternion_order` chose another."""
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Factor of the coordinates of the file."""


def check_choice(what: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raise `InvalidValueError` unless `value` is one of `allowed`."""
    if value not in allowed:
        raise InvalidValueError(what, value, ", ".join(map(repr, allowed)))


def check_options(cfg: AssetConverterBaseCfg) -> None:
    """Raise `InvalidValueError` if a truth value or number is anything else, or below zero."""
    choices: dict[Any, tuple[Any, ...]] = {
        "bool": (True, False),
        "bool | None": (True, False, None),
    }
    for option in fields(cfg):
        value = getattr(cfg, option.name)
        if option.type in choices:
            check_choice(option.name, value, choices[option.type])
        elif option.type == "float":
            number(option.name, value, above=False)
        elif option.type == "int":
            whole(option.name, value)


CONFIGURATIONS: dict[str, type[AssetConverterBaseCfg]] = {
    "mjcf": MjcfConverterCfg,
    "urdf": UrdfConverterCfg,
    "mesh": MeshConverterCfg,
    "usd": AssetConverterBaseCfg,
}
"""Configuration class by kind of source."""
