"""Small URDF texts and a shortcut from text to stage, for the tests beside it."""

from __future__ import annotations

from pathlib import Path

from pxr import Usd

from usdsim.converters.conversion import Conversion, convert_file, default_cfg
from usdsim.parser import parse_stage
from usdsim.parser.description import SceneDescription

INERTIAL = (
    '<inertial><origin xyz="{com}"/><mass value="{mass}"/>'
    '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def link(name: str, inner: str = "", *, mass: float = 1.0, com: str = "0 0 0") -> str:
    return f'<link name="{name}">{INERTIAL.format(mass=mass, com=com)}{inner}</link>'


def joint(
    name: str,
    kind: str = "revolute",
    parent: str = "base",
    child: str = "arm",
    inner: str = '<axis xyz="0 0 1"/><limit lower="-1" upper="2" effort="5" velocity="3"/>',
    origin: str = '<origin xyz="0.1 0.2 0.3" rpy="0.1 -0.2 0.3"/>',
) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{origin}{inner}</joint>"
    )


def robot(*parts: str, name: str = "bot") -> str:
    return f'<?xml version="1.0"?>\n<robot name="{name}">\n' + "\n".join(parts) + "\n</robot>\n"


def arm(shape: str = "", **values: str) -> str:
    """A base, one joint and an arm."""
    return robot(link("base"), joint("shoulder", **values), link("arm", shape))


def write(folder: Path, text: str, name: str = "bot.urdf") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def converted(folder: Path, text: str, **options: object) -> Conversion:
    return convert_file(write(folder, text), None, default_cfg("urdf", **options))


def described(stage: Usd.Stage) -> SceneDescription:
    return parse_stage(stage).scene


def codes(conversion: Conversion) -> list[str]:
    return [finding.code for finding in conversion.report.warnings]
