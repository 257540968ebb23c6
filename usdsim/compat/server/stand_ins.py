"""Stand-ins for files of Isaac Lab's server: shipped robots, with the joints' and bodies' names.

A file that is in the folder of `paths` is used as it is. For some of those that are not, a
shipped robot of the same build is written under the names that programs use, and said so.
"""

from __future__ import annotations

import logging
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from usdsim._resources import resource_dir
from usdsim.converters import UrdfConverter, UrdfConverterCfg

from .built_robots import BUILT_ROBOTS
from .flat import flatten_links
from .masks import ROBOT, set_masks
from .networks import NETWORKS, write_network
from .paths import LAB_ROBOTS, NUCLEUS_ASSET_ROOT_DIR, SIM_ROBOTS
from .props import PROPS
from .sources import write_mjcf, write_source
from .suction import Suction

__all__ = ["STAND_INS", "StandIn", "find_server_file", "server_file"]

logger = logging.getLogger("usdsim")

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ADDRESS = re.compile(r"(?:https?|omniverse)://[^/]+/(?:NVIDIA/)?Assets/Isaac/\d[\d.]*/(.+)")
"""Address of a file of the server, with the release that it is of, as programs write it in full."""


@dataclass(frozen=True)
class StandIn:
    """A shipped file under other names."""

    source: str
    """The file below the folder of shipped assets."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names to use by names in the file."""
    change: Callable[[ElementTree.Element], None] | None = None
    """Change of an XML file, before names are replaced."""
    shapes: str = "visuals"
    """Name of the prim below each link that its shapes lie in, of an MJCF file."""

    def text(self) -> str:
        """The content of the file, changed."""
        file = resource_dir("assets") / self.source
        text = file.read_text(encoding="utf-8")
        if file.suffix != ".usda":
            root = ElementTree.fromstring(text)
            set_masks(root, ROBOT)
            if self.change is not None:
                self.change(root)
            text = ElementTree.tostring(root, encoding="unicode")
        return _WORD.sub(lambda word: self.names.get(word[0], word[0]), text)

    def write(self, place: Path) -> str:
        """Make the file, of the suffix that its source has; returns the name of the converted one.

        Args:
            place: path without a suffix.
        """
        suffix = Path(self.source).suffix
        if suffix == ".xml":
            # Programs name links as prims below the robot's, `Robot/panda_hand` for example.
            return flatten_links(write_mjcf(place, self.text()), shapes=self.shapes)
        file = write_source(place.with_suffix(suffix), self.text())
        if suffix == ".urdf":
            return UrdfConverter(
                UrdfConverterCfg(asset_path=file, merge_fixed_joints=False, layout="flat")
            ).usd_path
        return file


def _legs(
    legs: tuple[str, str, str, str], joints: tuple[str, str, str], bodies: tuple[str, ...]
) -> dict[str, str]:
    """Names of the quadruped: of its legs, joints, and the bodies from the hip to the foot."""
    names = {}
    for ours, theirs in zip(("fl", "fr", "rl", "rr"), legs, strict=True):
        for joint, name in zip(("hip_roll", "hip_pitch", "knee"), joints, strict=True):
            names[f"{ours}_{joint}"] = f"{theirs}_{name}"
        for body, name in zip(("hip", "thigh", "shank", "foot"), bodies, strict=True):
            names[f"{ours}_{body}"] = f"{theirs}_{name}"
    return names


def _feet(root: ElementTree.Element) -> None:
    """Make bodies of the quadruped's feet, and its trunk begin where the robot is put."""
    for trunk in root.findall(".//body[@name='trunk']"):
        trunk.set("pos", "0 0 0")
    for shank in root.iter("body"):
        if shank.get("name", "").endswith("_shank"):
            foot = next(geom for geom in shank.iter("geom") if geom.get("class") == "foot")
            shank.remove(foot)
            name = foot.attrib.pop("name")
            body = ElementTree.SubElement(shank, "body", name=name, pos=foot.attrib.pop("pos"))
            mass = {"pos": "0 0 0", "mass": "0.05", "diaginertia": "1e-5 1e-5 1e-5"}
            ElementTree.SubElement(body, "inertial", mass)
            body.append(foot)
    # A site of the same name would take the body's.
    for kind, key in ((".//site", "name"), (".//touch", "site")):
        for part in root.findall(kind):
            if part.get(key, "").endswith("_foot"):
                part.set(key, f"{part.get(key)}_site")


def _feet_and_head(root: ElementTree.Element) -> None:
    """Make bodies of the feet, and two of the head, which is fixed to the front of the trunk."""
    _feet(root)
    trunk = next(root.iter("body"))
    mass = {"pos": "0 0 0", "mass": "0.001", "diaginertia": "1e-6 1e-6 1e-6"}
    for name, place in (("Head_upper", "0.285 0 0"), ("Head_lower", "0.293 0 -0.06")):
        head = ElementTree.SubElement(trunk, "body", name=name, pos=place)
        ElementTree.SubElement(head, "inertial", mass)


def _on_mount(root: ElementTree.Element) -> None:
    """Make a body of what carries the palm."""
    mount = ElementTree.SubElement(next(root.iter("worldbody")), "body", name="allegro_mount")
    shape = {"type": "box", "size": "0.02 0.02 0.01", "pos": "0 0 -0.01", "mass": "0.001"}
    ElementTree.SubElement(mount, "geom", shape)


def _at_origin(root: ElementTree.Element) -> None:
    """Make the robot begin where it is put."""
    for body in root.findall("worldbody/body"):
        body.set("pos", "0 0 0")


def _turning_arm(root: ElementTree.Element) -> None:
    """Take the fingers off the arm, whose carrier marks its end, and let it turn all around."""
    for part in [*root.findall("link"), *root.findall("joint")]:
        if part.get("name") in ("left_finger", "right_finger", "grip", "grip_mirror"):
            root.remove(part)
    for limit in root.findall("joint[@type='revolute']/limit"):
        limit.set("lower", "-6.2832")
        limit.set("upper", "6.2832")


_PANDA = StandIn(
    "arm7/arm7.xml",
    {
        "base": "panda_link0",
        **{f"link{i}": f"panda_link{i}" for i in range(1, 8)},
        **{f"joint{i}": f"panda_joint{i}" for i in range(1, 8)},
        "hand": "panda_hand",
        "left_finger": "panda_leftfinger",
        "right_finger": "panda_rightfinger",
        "finger_1": "panda_finger_joint1",
        "finger_2": "panda_finger_joint2",
    },
)


_UR10 = StandIn(
    "arm/arm.urdf",
    {
        "base": "base_link",
        "shoulder": "shoulder_link",
        "upper_arm": "upper_arm_link",
        "forearm": "forearm_link",
        "wrist_1": "wrist_1_link",
        "wrist_2": "wrist_2_link",
        "flange": "wrist_3_link",
        "gripper": "ee_link",
        "shoulder_pan": "shoulder_pan_joint",
        "shoulder_lift": "shoulder_lift_joint",
        "elbow": "elbow_joint",
        "wrist_roll": "wrist_1_joint",
        "wrist_pitch": "wrist_2_joint",
        "flange_roll": "wrist_3_joint",
    },
    _turning_arm,
)


def _forward_arm(root: ElementTree.Element) -> None:
    """Turn the arm's end so that its first axis leads away from the arm, as a UR10's does."""
    _turning_arm(root)
    for joint in root.findall("joint"):
        if joint.find("child").get("link") == "gripper":  # type: ignore[union-attr]
            joint.find("origin").set("rpy", "0 -1.5707963 0")  # type: ignore[union-attr]
    for origin in root.findall("link[@name='gripper']/*/origin"):
        origin.attrib.update(xyz="0.03 0 0", rpy="0 1.5707963 0")


_UR10_SUCTION = Suction(
    StandIn(_UR10.source, _UR10.names, _forward_arm),
    "ee_link",
    "X",
    {"Long_Suction": 0.22, "Short_Suction": 0.1585},
    source=_UR10.source,
)


_HUMANOID = StandIn(
    "humanoid/robot.xml",
    {
        "waist_yaw": "lower_waist:0",
        "waist_pitch": "lower_waist:1",
        "waist_roll": "pelvis",
        **{
            f"{side}_{ours}": f"{side}_{theirs}"
            for side in ("left", "right")
            for ours, theirs in (
                ("shoulder_pitch", "upper_arm:0"),
                ("shoulder_roll", "upper_arm:2"),
                ("elbow", "lower_arm"),
                ("forearm", "lower_arm"),
                ("hip_roll", "thigh:0"),
                ("hip_pitch", "thigh:1"),
                ("hip_yaw", "thigh:2"),
                ("knee", "shin"),
                ("shank", "shin"),
                ("ankle_roll", "foot:0"),
                ("ankle_pitch", "foot:1"),
            )
        },
    },
    _at_origin,
)
"""Its root is the pelvis; Isaac Lab's is the torso."""


def _unitree(base: str, change: Callable[[ElementTree.Element], None] = _feet) -> StandIn:
    joints = ("hip_joint", "thigh_joint", "calf_joint")
    legs = _legs(("FL", "FR", "RL", "RR"), joints, ("hip", "thigh", "calf", "foot"))
    return StandIn("quadruped/quadruped.xml", {"trunk": base, **legs}, change)


STAND_INS: dict[str, StandIn | Suction] = {
    f"{LAB_ROBOTS}/Classic/Cartpole/cartpole.usd": StandIn(
        "cartpole/cartpole.usda", {"rail_to_cart": "slider_to_cart", "rail": "slider"}
    ),
    f"{SIM_ROBOTS}/IsaacSim/Ant/ant_instanceable.usd": StandIn("ant/ant.xml"),
    f"{SIM_ROBOTS}/IsaacSim/Humanoid/humanoid_instanceable.usd": _HUMANOID,
    f"{LAB_ROBOTS}/Unitree/A1/a1.usd": _unitree("trunk"),
    f"{LAB_ROBOTS}/Unitree/Go1/go1.usd": _unitree("trunk"),
    f"{LAB_ROBOTS}/Unitree/Go2/go2.usd": _unitree("base", _feet_and_head),
    f"{SIM_ROBOTS}/BostonDynamics/spot/spot.usd": StandIn(
        "quadruped/quadruped.xml",
        {
            "trunk": "body",
            **_legs(("fl", "fr", "hl", "hr"), ("hx", "hy", "kn"), ("hip", "uleg", "lleg", "foot")),
        },
        _feet,
    ),
    f"{LAB_ROBOTS}/FrankaEmika/panda_instanceable.usd": _PANDA,
    f"{SIM_ROBOTS}/FrankaRobotics/FrankaPanda/franka.usd": _PANDA,
    f"{SIM_ROBOTS}/Franka/franka.usd": _PANDA,
    f"{LAB_ROBOTS}/UniversalRobots/UR10/ur10_instanceable.usd": _UR10,
    f"{SIM_ROBOTS}/UniversalRobots/ur10/ur10.usd": _UR10_SUCTION,
    f"{SIM_ROBOTS}/UniversalRobots/ur10e/ur10e.usd": _UR10,
    f"{SIM_ROBOTS}/WonikRobotics/AllegroHand/allegro_hand_instanceable.usd": StandIn(
        "hand/hand.xml", {"palm": "palm_link"}, _on_mount, "visuals_xform"
    ),
    f"{SIM_ROBOTS}/NTNU/ARL-Robot-1/arl_robot_1.usd": StandIn(
        "quadrotor/quadrotor.usda",
        {
            "base": "base_link",
            "rotor_0": "back_left_prop",
            "rotor_1": "back_right_prop",
            "rotor_2": "front_left_prop",
            "rotor_3": "front_right_prop",
        },
    ),
}
"""Shipped files by path of the file on the server that they stand in for."""


_ALL = (STAND_INS, BUILT_ROBOTS, NETWORKS, PROPS)


def find_server_file(path: str) -> str:
    """A file below the folder that stands for the server, or what stands in for it.

    Args:
        path: any path, or an address of the server itself; one that is neither below the folder nor
            there stays.
    """
    root = f"{NUCLEUS_ASSET_ROOT_DIR}/"
    address = _ADDRESS.fullmatch(path)
    if address:
        return server_file(address[1])
    return server_file(path.removeprefix(root)) if path.startswith(root) else path


def server_file(path: str) -> str:
    """A file of the server: from the folder of its copy, else what stands in for it.

    Args:
        path: path of the file on the server.

    Returns:
        Path of a file. It is that in the folder, which may be missing, if nothing stands in.
    """
    copy = Path(NUCLEUS_ASSET_ROOT_DIR) / path
    known = None if copy.is_file() else _known(path)
    return str(copy) if known is None else _stand_in(known)


def _known(path: str) -> str | None:
    """Path under which a file is in the tables; None: it is in none.

    Isaac Sim 5.0 put its robots into folders of makers: ``Isaac/Robots/Jetbot`` is now
    ``Isaac/Robots/NVIDIA/Jetbot``.
    """
    if any(path in known for known in _ALL):
        return path
    folder, _, rest = path.rpartition(f"{SIM_ROBOTS}/")
    made = re.compile(f"{SIM_ROBOTS}/[^/]+/{re.escape(rest)}")
    paths = (each for known in _ALL for each in known)
    return next(filter(made.fullmatch, paths), None) if rest != path and not folder else None


@cache
def _stand_in(path: str) -> str:
    """A stand-in as a file in the system's temporary folder, written once per process."""
    name = Path(path).stem
    folder = Path(tempfile.gettempdir()) / "usdsim" / "stand_ins" / name
    folder.mkdir(parents=True, exist_ok=True)
    stand_in = STAND_INS.get(path)
    if stand_in is not None:
        source = stand_in.source
        logger.warning("There is no %s; %s stands in for it, under its names.", path, source)
        return stand_in.write(folder / name)
    built = BUILT_ROBOTS.get(path)
    if built is not None:
        logger.warning("There is no %s; rods with its joints and masses stand in for it.", path)
        return built.write(folder / name)
    if path in NETWORKS:
        logger.warning("There is no %s; a spring with a damper stands in for it.", path)
        return write_network(path, folder / name)
    prop = PROPS[path]
    logger.warning("There is no %s; a shape of about its size stands in for it.", path)
    return (prop() if callable(prop) else prop).write(folder / name)
