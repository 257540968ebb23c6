import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pxr import Sdf

from usdsim.usd import (
    SOURCE_NAME,
    NameScope,
    create_stage,
    define_prim,
    get_source_name,
    legal_name,
    open_stage,
    save_stage,
    set_source_name,
)

TEXT = st.text(max_size=20)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("left/arm", "left_arm"),
        ("1a", "_1a"),
        ("", "unnamed"),
        ("é", "e"),
        ("Ärmel", "Armel"),
        ("straße", "strasse"),
        ("a b-c.d", "a_b_c_d"),
        ("机器", "__"),
        ("x²", "x2"),
        ("_private", "_private"),
        ("robot::link", "robot__link"),
        ("\n", "_"),
    ],
)
def test_legal_names_are_readable(source, name):
    assert legal_name(source) == name


@given(TEXT)
def test_every_text_gets_a_legal_name(source):
    name = legal_name(source)
    assert re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name)
    assert Sdf.Path.IsValidIdentifier(name)
    assert legal_name(name) == name


@given(st.from_regex("[A-Za-z_][A-Za-z0-9_]{0,10}", fullmatch=True))
def test_legal_names_stay(name):
    assert legal_name(name) == name


@given(st.lists(TEXT | st.sampled_from(["a", "a_1", "a/1", "a_1_1", "", "unnamed"]), max_size=20))
def test_siblings_get_different_legal_names(sources):
    scope = NameScope()
    names = [scope.unique("/World", source) for source in sources]
    assert len(set(names)) == len(names)
    assert all(Sdf.Path.IsValidIdentifier(name) for name in names)


@given(st.lists(TEXT, unique=True, max_size=10))
def test_names_do_not_depend_on_other_parents(sources):
    scope = NameScope()
    first = [scope.unique("/a", source) for source in sources]
    assert [scope.unique("/b", source) for source in sources] == first


def test_first_comer_keeps_the_name():
    scope = NameScope()
    assert [scope.unique("/", n) for n in ("a", "a", "a_1", "a")] == ["a", "a_1", "a_1_1", "a_2"]


def test_existing_prims_count_as_taken():
    stage = create_stage()
    define_prim(stage, "/World/arm")
    stage.OverridePrim("/World/leg")
    scope = NameScope(stage)
    assert scope.unique("/World", "arm") == "arm_1"
    assert scope.unique(Sdf.Path("/World"), "leg") == "leg_1"
    assert scope.unique("/Elsewhere", "arm") == "arm"


@pytest.mark.parametrize("name", ["", "left/arm", "arm", "日本", 'quote"s', "line\nbreak"])
def test_source_names_survive_a_file(tmp_path, name):
    stage = create_stage()
    prim = define_prim(stage, "/arm")
    assert get_source_name(prim) is None
    set_source_name(prim, name)
    opened = open_stage(save_stage(stage, tmp_path / "a.usda"))
    back = opened.GetPrimAtPath("/arm")
    assert get_source_name(back) == name
    assert back.GetAttribute(SOURCE_NAME).IsCustom()
    assert back.GetDisplayName() == ("" if name in ("", "arm") else name)
