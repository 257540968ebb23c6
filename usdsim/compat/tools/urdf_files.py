"""URDF files of controllers: written from stages, and with joints fixed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from usdsim.core.errors import MissingFileError
from usdsim.core.transaction import replace_file

__all__ = ["change_revolute_to_fixed", "change_revolute_to_fixed_regex", "convert_usd_to_urdf"]


def change_revolute_to_fixed(
    urdf_path: str, fixed_joints: Sequence[str], verbose: bool = False
) -> None:
    """Fix revolute joints of a URDF file, in place; names that are not there are left out.

    Args:
        urdf_path: the file.
        fixed_joints: names of joints.
        verbose: accepted.

    Raises:
        MissingFileError: there is no such file.
    """
    _fix(urdf_path, lambda name: name in fixed_joints)


def change_revolute_to_fixed_regex(
    urdf_path: str, fixed_joints: Sequence[str], verbose: bool = False
) -> None:
    """Fix revolute joints of a URDF file, in place, whose whole names match an expression.

    Args:
        urdf_path: the file.
        fixed_joints: regular expressions of names.
        verbose: accepted.

    Raises:
        MissingFileError: there is no such file.
    """
    patterns = [re.compile(pattern) for pattern in fixed_joints]
    _fix(urdf_path, lambda name: any(pattern.fullmatch(name) for pattern in patterns))


def _fix(urdf_path: str, chosen: Callable[[str], bool]) -> None:
    path = Path(urdf_path)
    if not path.is_file():
        raise MissingFileError(f"There is no file {urdf_path}.")
    text = path.read_text(encoding="utf-8")
    # Only the type changes, so that all else in the file stays as it was written.
    for joint in ElementTree.fromstring(text).iter("joint"):
        name = joint.get("name", "")
        if joint.get("type") == "revolute" and chosen(name):
            tag = re.compile(rf"<joint\b(?=[^>]*\bname=[\"']{re.escape(name)}[\"'])[^>]*>")
            text = tag.sub(lambda m: re.sub(r"type=([\"'])revolute\1", 'type="fixed"', m[0]), text)
    replace_file(path, text)


def convert_usd_to_urdf(
    usd_path: str, output_path: str, force_conversion: bool = True
) -> tuple[str, str]:
    """Write the robot of a stage as URDF.

    Args:
        usd_path: the stage.
        output_path: folder for the file and its meshes.
        force_conversion: whether to write again what is there.

    Returns:
        Paths of the file and of the folder with its meshes.
    """
    from usdsim.exporters import export_urdf

    target = Path(output_path) / "urdf" / f"{Path(usd_path).stem}.urdf"
    if force_conversion or not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        export_urdf(usd_path, target)
    return str(target), str(target.parent / "meshes")
