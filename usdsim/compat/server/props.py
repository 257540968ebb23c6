"""Stand-ins for props of Isaac Lab's server: tables, blocks and ground, made by spawners.

Sizes are what programs build on: where the top of a table is, what fits between fingers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.schemas import (
    CollisionBaseCfg,
    define_collision_properties,
)
from usdsim.spawners import CuboidCfg, MeshSphereCfg, PreviewSurfaceCfg
from usdsim.usd.stage import create_stage, save_stage

from .masks import MECHANISM, masks
from .sources import write_mjcf

__all__ = ["PROPS"]

Vector = tuple[float, float, float]


class _Prop(ABC):
    """A prop that fills a stage of its own."""

    def write(self, file: Path) -> str:
        """Make the file; returns its name."""
        stage = create_stage()
        root = UsdGeom.Xform.Define(stage, "/Prop").GetPrim()
        stage.SetDefaultPrim(root)
        self.fill(stage, root)
        return str(save_stage(stage, file.with_suffix(".usda")))

    @abstractmethod
    def fill(self, stage: Usd.Stage, root: Usd.Prim) -> None:
        """Define it on a stage."""


@dataclass(frozen=True)
class Box(_Prop):
    """A block with its own mass, or a piece of furniture that stands still."""

    size: Vector
    """Edge lengths [m]."""
    mass: float | None = None
    """Mass [kg]; None: it stands still."""
    color: Vector = (0.6, 0.5, 0.4)
    """Diffuse colour."""
    top: bool = False
    """Whether the origin is in the middle of the top, as with tables, rather than of the box."""
    articulated: bool = False
    """Whether it is marked as an articulation."""

    def fill(self, stage: Usd.Stage, root: Usd.Prim) -> None:
        """Define it on a stage."""
        if self.mass is not None:
            UsdPhysics.RigidBodyAPI.Apply(root)
            UsdPhysics.MassAPI.Apply(root).CreateMassAttr(self.mass)
        if self.articulated:
            UsdPhysics.ArticulationRootAPI.Apply(root)
        shape = CuboidCfg(
            size=self.size,
            collision_props=CollisionBaseCfg(),
            visual_material=PreviewSurfaceCfg(diffuse_color=self.color),
        )
        place = (0.0, 0.0, -0.5 * self.size[2] if self.top else 0.0)
        shape.func("/Prop/shape", shape, translation=place, stage=stage)


@dataclass(frozen=True)
class Mark(_Prop):
    """Bars that are seen and nothing else."""

    bars: tuple[tuple[Vector, Vector, Vector], ...]
    """Middle [m], edge lengths [m] and diffuse colour of each."""

    def fill(self, stage: Usd.Stage, root: Usd.Prim) -> None:
        """Define it on a stage."""
        for index, (place, size, color) in enumerate(self.bars):
            bar = CuboidCfg(size=size, visual_material=PreviewSurfaceCfg(diffuse_color=color))
            bar.func(f"/Prop/bar_{index}", bar, translation=place, stage=stage)


@dataclass(frozen=True)
class Round(_Prop):
    """A ball as a mesh, which can be made soft."""

    radius: float
    """Radius, in units of the file, which programs scale."""
    color: Vector = (0.6, 0.4, 0.2)
    """Diffuse colour."""

    def fill(self, stage: Usd.Stage, root: Usd.Prim) -> None:
        """Define it on a stage."""
        look = PreviewSurfaceCfg(diffuse_color=self.color)
        ball = MeshSphereCfg(radius=self.radius, visual_material=look)
        ball.func("/Prop/ball", ball, stage=stage)


@dataclass(frozen=True)
class Waves(_Prop):
    """Uneven ground as one mesh."""

    size: float
    """Edge length of the square [m]."""
    cell: float
    """Distance of its points [m]."""
    height: float
    """Largest height and depth [m]."""

    def fill(self, stage: Usd.Stage, root: Usd.Prim) -> None:
        """Define it on a stage."""
        n = round(self.size / self.cell) + 1
        line = np.linspace(-0.5 * self.size, 0.5 * self.size, n)
        x, y = np.meshgrid(line, line, indexing="ij")
        z = 0.5 * self.height * (np.sin(2.1 * x + 0.7 * y) + np.sin(1.3 * y - 0.9 * x))
        corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1, 1)
        faces = corner + np.array([0, n, n + 1, 0, n + 1, 1])
        mesh = UsdGeom.Mesh.Define(stage, "/Prop/ground")
        mesh.CreatePointsAttr(np.stack([x, y, z], -1).reshape(-1, 3).astype(np.float32))
        mesh.CreateFaceVertexCountsAttr(np.full(faces.size // 3, 3, np.int32))
        mesh.CreateFaceVertexIndicesAttr(faces.reshape(-1).astype(np.int32))
        mesh.CreateSubdivisionSchemeAttr("none")
        define_collision_properties("/Prop/ground", CollisionBaseCfg(), stage)


@dataclass(frozen=True)
class Jointed:
    """A small mechanism, written as MJCF, whose links do not collide with each other."""

    bodies: str
    """Content of the world."""
    more: str = ""
    """Content beside the world."""

    def write(self, file: Path) -> str:
        """Make the file; returns its name."""
        head = f'<compiler angle="radian"/><default><geom {masks(MECHANISM)}/></default>'
        text = f"<mujoco>{head}<worldbody>{self.bodies}</worldbody>{self.more}</mujoco>"
        return write_mjcf(file, text)


def _hinge(name: str, child: str, axis: str, pos: str, length: float, inner: str) -> str:
    return (
        f'<body name="{child}" pos="{pos}">'
        f'<joint name="{name}" axis="{axis}" range="-1.57 1.57" damping="0.1"/>'
        f'<geom type="capsule" fromto="0 0 0 0 0 {length}" size="0.02" mass="0.1" group="0"/>'
        f"{inner}</body>"
    )


def _dofbot() -> Jointed:
    axes = {"joint4": "0 1 0", "joint3": "0 1 0", "joint2": "0 1 0", "joint1": "0 0 1"}
    chain = ""
    for name, axis in axes.items():
        chain = _hinge(name, name.replace("joint", "link"), axis, "0 0 0.08", 0.07, chain)
    base = '<geom type="box" size="0.06 0.06 0.03" pos="0 0 0.03" mass="1"/>'
    return Jointed(f'<body name="base_link">{base}{chain}</body>')


def _jetbot() -> Jointed:
    wheels = "".join(
        f'<body name="{side}_wheel" pos="0 {y} 0.032"><joint name="{side}_wheel_joint" '
        f'axis="0 1 0" damping="0.01"/><geom type="cylinder" fromto="0 -0.01 0 0 0.01 0" '
        f'size="0.032" mass="0.05"/></body>'
        for side, y in (("left", 0.056), ("right", -0.056))
    )
    shell = (
        '<geom type="box" size="0.06 0.04 0.02" pos="0 0 0.05" mass="0.8"/>'
        '<geom type="sphere" size="0.01" pos="-0.05 0 0.01" mass="0.02" friction="0.01"/>'
    )
    return Jointed(f'<body name="chassis"><freejoint/>{shell}{wheels}</body>')


def _crazyflie() -> Jointed:
    places = {"m1": (1, -1), "m2": (-1, -1), "m3": (-1, 1), "m4": (1, 1)}
    rotors = "".join(
        f'<body name="{name}_prop" pos="{0.03 * x} {0.03 * y} 0.01"><joint name="{name}_joint" '
        'axis="0 0 1"/><geom type="cylinder" size="0.02 0.001" mass="0.0008" contype="0" '
        'conaffinity="0"/></body>'
        for name, (x, y) in places.items()
    )
    frame = '<geom type="box" size="0.045 0.045 0.01" mass="0.025"/>'
    return Jointed(f'<body name="body"><freejoint/>{frame}{rotors}</body>')


def _revolute() -> Jointed:
    arm = (
        '<body name="Arm" pos="1 0 0">'
        '<joint name="RevoluteJoint" pos="-1 0 0" axis="0 -1 0" range="-3.14 3.14"/>'
        '<geom type="box" size="0.5 0.05 0.05" pos="-0.5 0 0" mass="1"/></body>'
    )
    pivot = '<geom type="cylinder" size="0.1 0.1" mass="1"/>'
    drive = '<actuator><position name="drive" joint="RevoluteJoint" kp="1" forcerange="-80 80"/>'
    return Jointed(f'<body name="CenterPivot">{pivot}{arm}</body>', f"{drive}</actuator>")


_BLUE, _RED, _GREEN = ((0.1, 0.1, 0.8), (0.8, 0.1, 0.1), (0.1, 0.7, 0.1))
_ARROW = Mark(
    (((0.4, 0.0, 0.0), (0.8, 0.08, 0.08), _BLUE), ((0.9, 0.0, 0.0), (0.2, 0.2, 0.2), _BLUE))
)
_FRAME = Mark(
    (
        ((0.25, 0.0, 0.0), (0.5, 0.02, 0.02), _RED),
        ((0.0, 0.25, 0.0), (0.02, 0.5, 0.02), _GREEN),
        ((0.0, 0.0, 0.25), (0.02, 0.02, 0.5), _BLUE),
    )
)
_TABLE = Box((0.9, 1.3, 1.05), top=True)
_CUBE = Box((0.06, 0.06, 0.06), mass=0.2, color=(0.2, 0.4, 0.8))


def _block(color: Vector) -> Box:
    return Box((0.05, 0.05, 0.05), mass=0.1, color=color)


_YCB = "Isaac/Props/YCB/Axis_Aligned_Physics"

PROPS: dict[str, Box | Mark | Round | Waves | Callable[[], Jointed]] = {
    "Isaac/Props/Mounts/SeattleLabTable/table_instanceable.usd": _TABLE,
    "Isaac/Props/Mounts/Stand/stand_instanceable.usd": Box((0.2, 0.2, 0.525), top=True),
    "Isaac/Props/PackingTable/packing_table.usd": Box((1.2, 0.8, 1.0), top=True),
    "Isaac/Props/Mounts/ThorlabsTable/table_instanceable.usd": Box((0.9, 0.75, 0.8), top=True),
    "Isaac/Props/KLT_Bin/small_KLT.usd": Box((0.3, 0.2, 0.15), mass=0.5),
    f"{_YCB}/003_cracker_box.usd": Box((0.16, 0.21, 0.06), mass=0.41),
    f"{_YCB}/004_sugar_box.usd": Box((0.09, 0.18, 0.04), mass=0.51),
    f"{_YCB}/005_tomato_soup_can.usd": Box((0.066, 0.1, 0.066), mass=0.35),
    f"{_YCB}/006_mustard_bottle.usd": Box((0.1, 0.19, 0.06), mass=0.6),
    "Isaac/Props/Blocks/DexCube/dex_cube_instanceable.usd": _CUBE,
    "Isaac/IsaacLab/Tests/RigidObject/Cube/dex_cube_instanceable_with_articulation_root.usd": Box(
        _CUBE.size, mass=_CUBE.mass, color=_CUBE.color, articulated=True
    ),
    "Isaac/Props/Blocks/red_block.usd": _block((0.8, 0.1, 0.1)),
    "Isaac/Props/Blocks/green_block.usd": _block((0.1, 0.7, 0.1)),
    "Isaac/Props/Blocks/blue_block.usd": _block((0.1, 0.1, 0.8)),
    "Isaac/Props/Blocks/yellow_block.usd": _block((0.8, 0.7, 0.1)),
    "Isaac/IsaacLab/Objects/Teddy_Bear/teddy_bear.usd": Round(5.0),
    "Isaac/Props/UIElements/arrow_x.usd": _ARROW,
    "Isaac/Props/UIElements/frame_prim.usd": _FRAME,
    "Isaac/Environments/Terrains/rough_plane.usd": Waves(40.0, 0.25, 0.1),
    "Isaac/Environments/Simple_Warehouse/warehouse.usd": Box((40.0, 40.0, 0.2), top=True),
    "Isaac/Robots/IsaacSim/SimpleArticulation/revolute_articulation.usd": _revolute,
    "Isaac/Robots/Bitcraze/Crazyflie/cf2x.usd": _crazyflie,
    "Isaac/Robots/NVIDIA/Jetbot/jetbot.usd": _jetbot,
    "Isaac/Robots/Yahboom/Dofbot/dofbot.usd": _dofbot,
}
"""Stand-ins by path of the file on the server; mechanisms are made when asked for."""
