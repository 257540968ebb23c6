"""URDF to USD."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pxr import Usd

from usdsim.converters.approximations import APPROXIMATIONS
from usdsim.converters.assets import AssetPlacer
from usdsim.converters.cfg import UrdfConverterCfg, check_choice, check_options
from usdsim.converters.confinement import AssetRoots
from usdsim.converters.report import ConversionReport
from usdsim.core.boundary import boundary
from usdsim.core.errors import ConversionError
from usdsim.usd.draft_layers import write_draft
from usdsim.usd.drafts import apply, define, fill, keep_source_name, link, place
from usdsim.usd.names import NameScope, legal_name

from .base import base_links, write_base
from .bodies import group_links, write_links
from .cameras import write_cameras
from .context import UrdfContext, keep_extras
from .followers import free_followers, hold_followers
from .joints import write_joints
from .reading.annotations import read_annotations
from .reading.limits import lift_zero_limits
from .reading.model import UrdfRobot
from .reading.resolve import FileResolver
from .reading.robot import read_robot
from .reading.xacro import expand_xacro, is_xacro, report_leftovers
from .reading.xmltree import parse_xml
from .tree import arrange

__all__ = ["convert_urdf", "load_urdf"]

_CHOICES: dict[str, tuple[str, ...]] = {
    "layout": ("nested", "flat"),
    "collider_type": tuple(APPROXIMATIONS),
    "zero_limits": ("unlimited", "keep"),
}


def load_urdf(
    source: Path,
    report: ConversionReport,
    *,
    xacro_args: Mapping[str, str] | None = None,
    resolver: FileResolver | None = None,
    **limits: float,
) -> UrdfRobot:
    """Read a URDF or xacro file.

    Args:
        source: the file.
        report: receives a warning for everything that had to be put right.
        xacro_args: arguments for a xacro file.
        resolver: knows the packages that a xacro file names.
        **limits: ``seconds`` and ``megabytes`` that a xacro file may take.

    Raises:
        FileError: the file is missing or unreadable.
        ConversionError: it cannot be understood, with file, line and element.
    """
    with boundary(f"Cannot read {str(source)!r}"):
        data = source.read_bytes()
    if not data.strip():
        raise ConversionError(f"{source}: the file is empty.")
    root = parse_xml(data, str(source))
    if is_xacro(source, root):
        root = parse_xml(expand_xacro(source, xacro_args or {}, resolver, **limits), str(source))
    report_leftovers(root, report)
    robot = read_robot(root, str(source), report)
    read_annotations(robot, report)
    arrange(robot, report)
    return robot


def convert_urdf(
    source: str | Path,
    stage: Usd.Stage,
    cfg: UrdfConverterCfg | None = None,
    *,
    placer: AssetPlacer | None = None,
) -> ConversionReport:
    """Convert a URDF file into an empty stage.

    The robot becomes the stage's default prim: link prims below it, ``Physics`` with all joints,
    ``Materials``, and ``Library`` with meshes used more than once.

    Args:
        source: URDF or xacro file.
        stage: where to author, Z up, metres and kilograms.
        cfg: options.
        placer: collects textures; None leaves them where they are.

    Returns:
        What was converted, changed, and left out.

    Raises:
        FileError: the file is missing or unreadable.
        ConversionError: it cannot be understood, with file, line and element.
    """
    cfg = cfg or UrdfConverterCfg()
    _check(cfg)
    path = Path(source)
    report = ConversionReport(source=str(source))
    placer = placer or AssetPlacer(None, AssetRoots(path, cfg.asset_roots, cfg.packages))
    resolver = FileResolver(path, cfg.packages, placer.roots)
    robot = load_urdf(
        path,
        report,
        xacro_args=cfg.xacro_args,
        resolver=resolver,
        seconds=cfg.xacro_time_limit,
        megabytes=cfg.xacro_memory_limit,
    )
    if cfg.zero_limits == "unlimited":
        lift_zero_limits(robot, report)
    if not cfg.convert_mimic_joints_to_normal_joints:
        hold_followers(robot, report)
        free_followers(robot, report)
    context = UrdfContext(
        robot=robot,
        cfg=cfg,
        report=report,
        resolver=resolver,
        placer=placer,
        names=NameScope(stage),
        root=f"/{legal_name(robot.name)}",
    )
    _write(context)
    write_draft(context.layer, stage.GetEditTarget().GetLayer())
    return report


def _write(context: UrdfContext) -> None:
    _write_root(context)
    group_links(context)
    base_links(context)
    masses = write_links(context)
    write_joints(context, masses)
    write_base(context)
    _write_attachments(context)
    _write_filters(context)


def _check(cfg: UrdfConverterCfg) -> None:
    check_options(cfg)
    for name, allowed in _CHOICES.items():
        check_choice(name, getattr(cfg, name), allowed)


def _write_root(context: UrdfContext) -> None:
    robot = context.robot
    prim = define(context.layer, context.root, "Xform")
    context.layer.default_prim = prim.name
    prim.metadata |= {"kind": "component", "assetInfo": {"name": robot.name}}
    keep_source_name(prim, robot.name)
    keep_extras(prim, robot.extras)
    # Reserved before any link can take them.
    for name in ("Physics", "Materials", "Library"):
        context.names.unique(context.root, name)
    scene = define(context.layer, "/PhysicsScene", "PhysicsScene")
    gravity = {"physics:gravityDirection": (0.0, 0.0, -1.0), "physics:gravityMagnitude": 9.81}
    fill(scene, "PhysicsScene", gravity)


def _write_attachments(context: UrdfContext) -> None:
    """Write frames and cameras that links carry."""
    for frame in context.robot.frames:
        parent = context.link_paths.get(frame.link)
        if parent is None:
            context.report.warn("frame-unknown", frame.where, f"no link {frame.link!r}; left out")
            continue
        path = context.define(parent, frame.name, "Xform")
        place(context.spec(path), frame.origin)
        context.report.count("frame")
    write_cameras(context)


def _write_filters(context: UrdfContext) -> None:
    pairs: dict[str, list[str]] = {}
    for first, second in context.robot.filtered_pairs:
        a, b = context.body_of[first], context.body_of[second]
        if a != b:
            pairs.setdefault(context.link_paths[a], []).append(context.link_paths[b])
    for path, others in pairs.items():
        prim = context.spec(path)
        apply(prim, "PhysicsFilteredPairsAPI")
        link(prim, "physics:filteredPairs", others)
