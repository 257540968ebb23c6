"""Scatter props.

A set as artists build them: in centimetres, y up, with props that are references to files. They are
thrown onto a table in a heap, come to rest, and where they lie is baked into a layer over the
untouched set, which Blender, Houdini and usdview open as it is. Arrays are in metres and z up, as
of any stage; what is written back is in the stage's own units and axes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.sim import Recorder, write_poses
from usdsim.usd import create_stage, save_stage

OUT = Path("out/examples")
PROPS = 24
KINDS = ("Cube", "Sphere", "Cylinder")


def write_prop(kind: str) -> Path:
    """A prop in a file of its own, about six centimetres large, that weighs 200 g."""
    path = OUT / f"prop_{kind.lower()}.usda"
    stage = create_stage(path, up_axis="Y", meters_per_unit=0.01)
    prop = UsdGeom.Xform.Define(stage, "/Prop").GetPrim()
    stage.SetDefaultPrim(prop)
    shape = getattr(UsdGeom, kind).Define(stage, "/Prop/shape")
    if kind == "Cube":
        shape.CreateSizeAttr(6.0)
    else:
        shape.CreateRadiusAttr(3.0)
    if kind == "Cylinder":
        shape.CreateAxisAttr("Y")
        shape.CreateHeightAttr(6.0)
    shape.CreateDisplayColorAttr([Gf.Vec3f(0.85, 0.45 + 0.2 * KINDS.index(kind), 0.3)])
    UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
    UsdPhysics.RigidBodyAPI.Apply(prop)
    UsdPhysics.MassAPI.Apply(prop).CreateMassAttr(0.2)
    stage.Save()
    return path


def add_box(stage: Usd.Stage, path: str, at: Gf.Vec3d, size: Gf.Vec3f) -> None:
    """A box that stands still."""
    box = UsdGeom.Cube.Define(stage, path)
    box.CreateSizeAttr(1.0)
    box.AddTranslateOp().Set(at)
    box.AddScaleOp().Set(size)
    UsdPhysics.CollisionAPI.Apply(box.GetPrim())


def write_set(path: Path) -> None:
    """A table with a rim, and props above it; all lengths are centimetres."""
    stage = create_stage(path, up_axis="Y", meters_per_unit=0.01)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/Set").GetPrim())
    add_box(stage, "/Set/table", Gf.Vec3d(0, 70, 0), Gf.Vec3f(80, 4, 80))
    for number, (x, z) in enumerate(((39, 0), (-39, 0), (0, 39), (0, -39))):
        size = Gf.Vec3f(2, 6, 80) if x else Gf.Vec3f(80, 6, 2)
        add_box(stage, f"/Set/rim_{number}", Gf.Vec3d(x, 75, z), size)

    files = [write_prop(kind) for kind in KINDS]
    rng = np.random.default_rng(5)
    for number in range(PROPS):
        prop = UsdGeom.Xform.Define(stage, f"/Set/prop_{number:02}")
        prop.GetPrim().GetReferences().AddReference(f"./{files[number % len(files)].name}")
        x, z = rng.uniform(-12.0, 12.0, 2)
        prop.AddTranslateOp().Set(Gf.Vec3d(x, 85.0 + 7.5 * (number // 2), z))
        turn = Gf.Quatf(*rng.normal(size=4)).GetNormalized()
        prop.AddOrientOp().Set(turn)
    stage.Save()


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    source = OUT / "props_set.usda"
    write_set(source)

    model = usdsim.load_model(source)
    data = usdsim.SceneData(model)
    with Recorder(model.stage, model.description, OUT / "props_fall.usd") as recorder:
        while data.time < 5.0:
            recorder.record(data.time, model.get_link_poses(data))
            model.step(data)
    height = model.get_link_positions(data)[:, 2]  # arrays are in metres, z up, for every stage
    on_table = height > 0.70
    print(f"{on_table.sum()} of {PROPS} props lie on the table")

    baked = create_stage(up_axis="Y", meters_per_unit=0.01)
    baked.GetRootLayer().subLayerPaths.append(str(source.resolve()))
    baked.SetDefaultPrim(baked.GetPrimAtPath("/Set"))
    write_poses(baked, model.description, model.get_link_poses(data))
    save_stage(baked, OUT / "props_baked.usda")

    again = usdsim.load_model(OUT / "props_baked.usda")
    data = usdsim.SceneData(again)
    start = again.get_link_positions(data).copy()
    again.step_n(data, 500)
    drift = np.linalg.norm(again.get_link_positions(data) - start, axis=1).max()
    print(f"simulated again from there, nothing moves by more than {1e3 * drift:.1f} mm")
    print(f"recorded {OUT / 'props_fall.usd'}, baked {OUT / 'props_baked.usda'}")


if __name__ == "__main__":
    main()
