"""The law of lossless conversion, as a function tests call."""

from __future__ import annotations

from pathlib import Path

import mujoco
from pxr import Sdf, Usd

from usdsim.converters.assets import AssetPlacer
from usdsim.converters.mjcf import convert_mjcf
from usdsim.core.transaction import Transaction
from usdsim.engine import compile_scene
from usdsim.engine.compile.mjc import compare_models, compare_trajectories
from usdsim.parser import ParseResult, parse_stage
from usdsim.usd.bundle import supersede
from usdsim.usd.stage import create_stage

__all__ = ["check_law", "compile_source", "convert", "reload", "round_trip", "without_mujoco"]

Source = str | Path


def compile_source(source: Source) -> mujoco.MjModel:
    """What MuJoCo makes of a file or XML text."""
    if isinstance(source, Path):
        return mujoco.MjModel.from_xml_path(str(source))
    return mujoco.MjModel.from_xml_string(source)


def convert(source: Source) -> Usd.Stage:
    """A source as a stage in memory."""
    stage = create_stage()
    convert_mjcf(source, stage)
    return stage


def reload(source: Source, folder: Path) -> Usd.Stage:
    """A source as a stage that was written to disk and opened again."""
    stage, file = create_stage(), folder / "model.usdc"
    placer = AssetPlacer(file)
    convert_mjcf(source, stage, placer=placer)
    with Transaction(file) as transaction:
        placer.stage(transaction)
        supersede(stage.GetRootLayer(), transaction)
    return Usd.Stage.Open(str(file))


def round_trip(stage: Usd.Stage) -> tuple[mujoco.MjModel, ParseResult]:
    """The model a converted stage compiles to."""
    result = parse_stage(stage, exact=True)
    return compile_scene(result.scene, exact=True).mj, result


def check_law(source: Source, folder: Path, *, steps: int = 500) -> ParseResult:
    """Assert that source and stage are the same model and move the same way."""
    first = compile_source(source)
    second, result = round_trip(reload(source, folder))
    differences = compare_models(first, second, tolerance=1e-12)
    assert not differences, "\n".join(map(str, differences))
    if steps:
        assert compare_trajectories(first, second, steps=steps) < 1e-6
    assert [str(finding) for finding in result.report.findings if finding.severity != "info"] == []
    return result


def without_mujoco(stage: Usd.Stage) -> Usd.Stage:
    """The stage as a tool sees it that knows nothing of the MuJoCo dialect."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.TransferContent(stage.GetRootLayer())
    properties: list[Sdf.Path] = []
    prims: list[Sdf.Path] = []

    def visit(path: Sdf.Path) -> None:
        if path.IsPropertyPath() and path.name.startswith("mjc:"):
            properties.append(path)
        elif path.IsPrimPath():
            prims.append(path)

    layer.Traverse("/", visit)
    for path in properties:
        layer.GetPrimAtPath(path.GetPrimPath()).RemoveProperty(layer.GetPropertyAtPath(path))
    for path in prims:
        prim = layer.GetPrimAtPath(path)
        if prim and prim.typeName.startswith("Mjc"):
            del layer.GetPrimAtPath(path.GetParentPath()).nameChildren[prim.name]
        elif prim and prim.HasInfo("apiSchemas"):
            names = prim.GetInfo("apiSchemas").GetAddedOrExplicitItems()
            kept = Sdf.TokenListOp()
            kept.prependedItems = [name for name in names if not name.startswith("Mjc")]
            prim.SetInfo("apiSchemas", kept)
    return Usd.Stage.Open(layer)
