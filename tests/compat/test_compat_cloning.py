"""Copies under the names of Isaac Lab and Isaac Sim: plans, sources, grids, nested functions."""

import logging

import numpy as np
import pytest
from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.compat.cloner import (
    ClonePlan,
    disabled_fabric_change_notifies,
    filter_collisions,
    get_suffix,
    physx_replicate,
    resolve_clone_plan_source,
)
from usdsim.compat.prims.finding import (
    get_next_free_path,
    is_prim_path_valid,
    traverse_stage,
)
from usdsim.compat.prims.grid_cloner import Cloner, GridCloner
from usdsim.compat.prims.making import define_prim
from usdsim.compat.prims.nesting import apply_nested
from usdsim.compat.prims.properties import add_reference_to_stage
from usdsim.compat.prims.sources import resolve_matching_prims_from_source
from usdsim.compat.stages import export_prim_to_file
from usdsim.core.errors import InvalidValueError, StageError, UnsupportedError
from usdsim.sim import SimulationContext
from usdsim.usd.stage import create_stage, use_stage

torch = pytest.importorskip("torch")


@pytest.fixture
def stage():
    with use_stage(create_stage()) as stage:
        yield stage


@pytest.mark.parametrize(
    ("expression", "below"),
    [
        ("/World/envs/env_.*/Robot/base", "/base"),
        ("/World/envs/env_3/Robot", ""),
        ("/World/envs/env_3/RobotArm", None),
        ("/World/envs/env_3/sub/Robot", None),
        ("/World/env_3/Robot", None),
    ],
)
def test_expressions_are_split_at_the_copies_they_are_in(expression, below):
    assert get_suffix(expression, "/World/envs/env_{}/Robot") == below


def plan(mask, *destinations):
    sources = tuple(f"/World/s{i}" for i in range(len(destinations)))
    return ClonePlan(sources, destinations, torch.tensor(mask, dtype=torch.bool))


def test_sources_of_copies_are_those_of_all_environments():
    whole = plan([[1, 0], [0, 1]], "/World/e_{}/R", "/World/e_{}/R")
    found = resolve_clone_plan_source("/World/e_.*/R/base", whole)
    assert found == ("/World/s0", "/World/e_*/R", "/base")
    assert resolve_clone_plan_source("/World/e_.*/Q", whole) is None
    with pytest.raises(UnsupportedError, match="no copy of some environments"):
        resolve_clone_plan_source("/World/e_.*/R", plan([[1, 0]], "/World/e_{}/R"))
    with pytest.raises(InvalidValueError, match="copies of one of"):
        several = plan([[1, 1], [1, 1]], "/World/e_{}", "/World/e_{}/R")
        resolve_clone_plan_source("/World/e_.*/R/x", several)


def test_prims_of_the_first_environment_stand_for_all(installed):
    with use_stage(create_stage()) as stage:
        SimulationContext()
        robots = [
            f"/World/envs/env_{path}" for path in ("0/R/LF_FOOT", "0/R/LF_HIP", "1/R/LF_FOOT")
        ]
        for path in (*robots, "/World/Table_0/Cup", "/World/Table_1/Cup"):
            stage.DefinePrim(path, "Xform")
        copied = ClonePlan(
            ("/World/envs/env_0",), ("/World/envs/env_{}",), torch.ones((1, 2), dtype=torch.bool)
        )
        SimulationContext.instance().set_clone_plan(copied)

        def told(expression, **more):
            found = resolve_matching_prims_from_source(expression, **more)
            return [(str(prim.GetPath()), like) for prim, like in found]

        assert told("/World/envs/env_.*/R/LF_.*") == [
            ("/World/envs/env_0/R/LF_FOOT", "/World/envs/env_*/R/LF_FOOT"),
            ("/World/envs/env_0/R/LF_HIP", "/World/envs/env_*/R/LF_HIP"),
        ]
        assert told("/World/Table_.*/Cup") == [("/World/Table_0/Cup", "/World/Table_.*/Cup")]
        assert told("/World/Table_1/Cup") == [("/World/Table_1/Cup", "/World/Table_1/Cup")]
        feet = told("/World/envs/env_.*/R/.*", predicate=lambda p: p.GetName() == "LF_FOOT")
        assert [like for _, like in feet] == ["/World/envs/env_*/R/LF_FOOT"]
        assert told("/World/envs/env_.*/Q") == []


def test_grids_are_about_the_origin_and_copies_keep_what_is_below(stage):
    cloner = GridCloner(spacing=2.0, stage=stage)
    cloner.define_base_env("/World/envs")
    stage.DefinePrim("/World/envs/env_0/Box", "Cube")
    paths = cloner.generate_paths("/World/envs/env", 4)
    assert paths == [f"/World/envs/env_{i}" for i in range(4)]
    places = cloner.clone("/World/envs/env_0", paths, position_offsets=np.full((4, 3), 1.0))
    assert np.allclose(np.abs(np.array(places) - 1.0), [1.0, 1.0, 0.0])
    assert len({tuple(place) for place in places}) == 4
    for path, place in zip(paths, places, strict=True):
        assert stage.GetPrimAtPath(f"{path}/Box").GetTypeName() == "Cube"
        assert list(stage.GetPrimAtPath(path).GetAttribute("xformOp:translate").Get()) == place


def test_orientations_of_copies_are_wxyz(stage):
    stage.DefinePrim("/A", "Xform")
    Cloner(stage).clone("/A", ["/B"], orientations=[[0.0, 0.0, 0.0, 1.0]])
    turn = stage.GetPrimAtPath("/B").GetAttribute("xformOp:orient").Get()
    assert turn.GetReal() == 0.0
    assert list(turn.GetImaginary()) == [0.0, 0.0, 1.0]


def test_copies_that_are_filtered_have_a_group_each(stage):
    for path in ("/E/a", "/E/b", "/Ground"):
        stage.DefinePrim(path, "Xform")
    scene = UsdPhysics.Scene.Define(stage, "/physics").GetPrim()
    filter_collisions(stage, "/physics", "/Groups", ["/E/a", "/E/b"], ["/Ground"])
    assert scene.GetAttribute("physxScene:invertCollisionGroupFilter").Get() is True
    groups = stage.GetPrimAtPath("/Groups").GetChildren()
    assert [prim.IsA(UsdPhysics.CollisionGroup) for prim in groups] == [True] * 3
    with disabled_fabric_change_notifies(stage):
        pass


def test_functions_go_down_until_they_succeed(stage, caplog):
    for path in ("/A/B/C", "/A/D", "/A/B/C/E"):
        stage.DefinePrim(path, "Xform")
    met = []

    @apply_nested
    def at_c(prim_path: str, stage: Usd.Stage | None = None) -> bool:
        met.append(prim_path)
        return prim_path.endswith("C")

    at_c("/A")
    assert met == ["/A", "/A/B", "/A/D", "/A/B/C"]
    assert at_c.__wrapped__("/nowhere/C")
    with caplog.at_level(logging.WARNING, logger="usdsim"):
        at_c("/A/D", stage=stage)
    assert "no prim below /A/D" in caplog.text
    with pytest.raises(StageError):
        at_c("/Z")


def test_names_of_older_programs_for_prims_work(stage, tmp_path):
    assert define_prim("/World/A", "Cube").GetTypeName() == "Cube"
    with pytest.raises(StageError, match="already exists"):
        define_prim("/World/A")
    assert is_prim_path_valid("/World/A", False)
    assert get_next_free_path("/World/A") == "/World/A_01"
    assert [str(prim.GetPath()) for prim in traverse_stage()] == ["/World", "/World/A"]
    file = str(tmp_path / "a.usda")
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    export_prim_to_file(file, "/World/A", "/Thing")
    assert add_reference_to_stage(usd_path=file, path="/World/B").HasAuthoredReferences()
    saved = Usd.Stage.Open(file)
    assert saved.GetDefaultPrim().GetPath() == "/Thing"
    assert UsdGeom.GetStageMetersPerUnit(saved) == 0.01
    with pytest.raises(InvalidValueError, match="source_prim_path"):
        export_prim_to_file(file, "World/A")


def test_replicated_prims_are_copies_that_are_simulated(stage):
    cube = UsdGeom.Cube.Define(stage, "/World/envs/env_0/Cube")
    UsdPhysics.RigidBodyAPI.Apply(cube.GetPrim())
    mask = torch.tensor([[True, True, False]])
    physx_replicate(
        stage, ["/World/envs/env_0/Cube"], ["/World/envs/env_{}/Cube"], torch.arange(3), mask,
        device="cpu",
    )  # fmt: skip
    assert stage.GetPrimAtPath("/World/envs/env_1/Cube").HasAPI(UsdPhysics.RigidBodyAPI)
    assert not stage.GetPrimAtPath("/World/envs/env_2/Cube")
