import pytest
from pxr import Sdf, Usd, UsdGeom

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.usd import (
    api_instances,
    applied_schemas,
    apply_api,
    create_stage,
    define_prim,
    find_ancestor,
    find_prim,
    find_prims,
    get_prim,
    has_api,
    remove_api,
    scene_path,
    traverse,
)


@pytest.fixture
def stage():
    stage = create_stage()
    for env in range(3):
        for name in ("robot/left_arm", "robot/right_arm", "robot/base", "ground"):
            define_prim(stage, f"/World/env_{env}/{name}")
    return stage


@pytest.fixture
def instanced():
    stage = create_stage()
    define_prim(stage, "/prototype/body/geometry")
    for name in ("a", "b"):
        prim = define_prim(stage, f"/{name}")
        prim.GetReferences().AddInternalReference("/prototype")
        prim.SetInstanceable(True)
    return stage


def paths(prims):
    return [str(prim.GetPath()) for prim in prims]


def test_get_prim(stage):
    assert get_prim(stage, "/World/env_0/ground").GetName() == "ground"
    assert get_prim(stage, Sdf.Path("/World")).GetName() == "World"
    assert get_prim(stage, "/").IsPseudoRoot()


def test_missing_prim_names_close_ones_and_siblings(stage):
    with pytest.raises(StageError) as caught:
        get_prim(stage, "/World/env_0/robot/left_am")
    assert "'/World/env_0/robot/left_arm'" in str(caught.value)
    assert "right_arm, base" in str(caught.value)


@pytest.mark.parametrize("path", ["World", "", "/World.x", "../World", "/World//x", "/1/x"])
def test_only_absolute_prim_paths_are_accepted(stage, path):
    with pytest.raises(StageError, match="path"):
        get_prim(stage, path)


def test_illegal_path_comes_with_a_legal_one():
    with pytest.raises(StageError, match="'/World/_1a/e_b'"):
        scene_path("/World/1a/é b")


def test_define_prim_makes_ancestors_that_can_move(stage):
    prim = define_prim(stage, "/World/new/deep/ball", "Sphere")
    assert UsdGeom.Sphere(prim) and UsdGeom.Xform(prim.GetParent())
    assert define_prim(stage, "/World/untyped", "").GetTypeName() == ""
    over = stage.OverridePrim("/over")
    define_prim(stage, "/over/x")
    assert over.IsDefined()


def test_define_prim_keeps_the_type_of_ancestors(stage):
    define_prim(stage, "/scope", "Scope")
    define_prim(stage, "/scope/x")
    assert stage.GetPrimAtPath("/scope").GetTypeName() == "Scope"


def test_nothing_is_defined_inside_instances(instanced):
    for path in ("/a/body", "/a/body/x", "/a/new"):
        with pytest.raises(StageError, match="instance"):
            define_prim(instanced, path)
    assert define_prim(instanced, "/a").IsInstance()


def test_traverse_enters_instances(instanced):
    assert paths(traverse(instanced)) == [
        *("/prototype", "/prototype/body", "/prototype/body/geometry"),
        *("/a", "/a/body", "/a/body/geometry", "/b", "/b/body", "/b/body/geometry"),
    ]
    assert paths(traverse(instanced, "/a/body")) == ["/a/body", "/a/body/geometry"]
    assert paths(traverse(instanced, instanced.GetPrimAtPath("/b")))[0] == "/b"


def test_traverse_leaves_out_what_is_not_there(stage):
    stage.GetPrimAtPath("/World/env_0").SetActive(False)
    stage.OverridePrim("/World/over")
    stage.CreateClassPrim("/_class")
    found = paths(traverse(stage))
    assert found[:2] == ["/World", "/World/env_1"] and len(found) == 13


def test_patterns_match_whole_names_level_by_level(stage):
    assert paths(find_prims(stage, "/World/env_.*/robot/(left|right)_arm")) == [
        f"/World/env_{i}/robot/{side}_arm" for i in range(3) for side in ("left", "right")
    ]
    assert paths(find_prims(stage, "/World/env_[02]/ground")) == [
        "/World/env_0/ground",
        "/World/env_2/ground",
    ]
    assert paths(find_prims(stage, "/World/*/ground")) == paths(
        find_prims(stage, "/World/.*/ground")
    )
    # Nothing crosses a level, and no part of a name suffices.
    assert find_prims(stage, "/World/.*_arm") == []
    assert find_prims(stage, "/World/env/ground") == []
    assert find_prims(stage, "/World/env_0/ground/x") == []
    assert [prim.IsPseudoRoot() for prim in find_prims(stage, "/")] == [True]


def test_patterns_enter_instances(instanced):
    assert paths(find_prims(instanced, "/(a|b)/body/.*")) == [
        "/a/body/geometry",
        "/b/body/geometry",
    ]
    assert find_prim(instanced, "/a/body").IsInstanceProxy()


def test_inactive_prims_match_neither_name_nor_pattern(stage):
    stage.GetPrimAtPath("/World/env_1").SetActive(False)
    assert find_prims(stage, "/World/env_1") == []
    assert len(find_prims(stage, "/World/env_.")) == 2


def test_bad_patterns_are_named(stage):
    with pytest.raises(InvalidValueError, match=r"'env_\('"):
        find_prims(stage, "/World/env_(/robot")
    with pytest.raises(InvalidValueError, match="absolute"):
        find_prims(stage, "World")
    with pytest.raises(StageError, match=r"/World/env_9/\.\*"):
        find_prim(stage, "/World/env_9/.*")


def test_find_ancestor(stage):
    arm = get_prim(stage, "/World/env_1/robot/left_arm")
    assert find_ancestor(arm, lambda p: p.GetName().startswith("env")).GetName() == "env_1"
    assert find_ancestor(arm, lambda p: p == arm) is None
    assert find_ancestor(arm, lambda p: p == arm, include_self=True) == arm
    assert find_ancestor(arm, lambda p: p.IsPseudoRoot()) is None


@pytest.mark.parametrize("name", ["PhysicsRigidBodyAPI", "PhysxRigidBodyAPI", "MadeUpAPI"])
def test_apis_need_no_definition(stage, name):
    prim = get_prim(stage, "/World/env_0")
    assert not has_api(prim, name)
    apply_api(prim, name)
    apply_api(prim, name)
    assert applied_schemas(prim) == (name,)
    assert has_api(prim, name) and not has_api(prim, name, "x") and not has_api(prim, name[:-1])
    remove_api(prim, name)
    assert applied_schemas(prim) == ()


@pytest.mark.parametrize("name", ["PhysicsDriveAPI", "PhysxTendonAxisAPI"])
def test_instances_of_apis(stage, name):
    prim = get_prim(stage, "/World/env_0")
    for instance in ("angular", "transX"):
        apply_api(prim, name, instance)
    assert api_instances(prim, name) == ["angular", "transX"]
    assert api_instances(prim, name[:-3]) == []
    assert has_api(prim, name) and has_api(prim, name, "transX") and not has_api(prim, name, "rotX")
    remove_api(prim, name, "angular")
    assert api_instances(prim, name) == ["transX"]


def test_apis_compose_over_references_and_instances():
    stage = create_stage()
    apply_api(define_prim(stage, "/prototype/body"), "PhysxRigidBodyAPI")
    prim = define_prim(stage, "/a")
    prim.GetReferences().AddInternalReference("/prototype")
    prim.SetInstanceable(True)
    apply_api(stage.OverridePrim("/prototype/body"), "MadeUpAPI")
    assert set(applied_schemas(stage.GetPrimAtPath("/a/body"))) == {
        "PhysxRigidBodyAPI",
        "MadeUpAPI",
    }
    assert isinstance(prim, Usd.Prim)
