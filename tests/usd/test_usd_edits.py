"""Edits of a stage in a layer of their own, which never replaces what the stage is made of."""

from __future__ import annotations

import pytest
from pxr import Sdf, Usd, UsdPhysics

from usdsim.core.errors import FileError
from usdsim.usd.edits import StageEdits


def test_edits_are_not_saved_over_layers_of_the_stage(tmp_path):
    part, whole = tmp_path / "part.usda", tmp_path / "whole.usda"
    below = Usd.Stage.CreateNew(str(part))
    UsdPhysics.MassAPI.Apply(below.DefinePrim("/ball", "Sphere")).CreateMassAttr(2.0)
    below.Save()
    stage = Usd.Stage.CreateNew(str(whole))
    stage.GetRootLayer().subLayerPaths.append("./part.usda")
    stage.Save()
    before = part.read_bytes(), whole.read_bytes()
    edits = StageEdits(stage)
    edits.set("/ball", "physics:mass", "3.0")
    for file in (part, whole):
        with pytest.raises(FileError, match=f"{file.name}.*made of; name another file"):
            edits.save(file)
    assert (part.read_bytes(), whole.read_bytes()) == before
    saved = Usd.Stage.Open(str(edits.save(tmp_path / "edits.usda")))
    assert saved.GetPrimAtPath("/ball").GetAttribute("physics:mass").Get() == 3.0
    edits.set("/ball", "physics:mass", "4.0")
    edits.save(tmp_path / "edits.usda")


def test_attributes_of_every_physical_namespace_are_listed():
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/it", "Mesh")
    names = [
        "physics:mass",
        "omniphysics:mass",
        "state:angular:physics:position",
        "newton:armature",
    ]
    for name in (*names, "size"):
        prim.CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(2.0)
    assert StageEdits(stage).attributes("/it") == dict.fromkeys(sorted(names), "2.0")
