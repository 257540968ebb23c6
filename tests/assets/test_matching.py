"""From prim path expressions to prims and engine elements of the first environment."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from usdsim.assets.common.matching import (
    aligned,
    below_any,
    elements_below,
    first_environment,
    instance_paths,
    matching_prims,
    relative_names,
)
from usdsim.assets.common.path_tree import PathTree
from usdsim.core.errors import InvalidValueError, StageError
from usdsim.engine import compile_scene
from usdsim.parser.description import BodyDescription, GeomDescription, SceneDescription
from usdsim.parser.element import at_and_above, is_below

ENVS = tuple(f"/World/envs/env_{i}" for i in range(12))


def scene(*bodies: str) -> SceneDescription:
    return SceneDescription(
        bodies=tuple(
            BodyDescription(path=path, mass=1.0, inertia=np.full(3, 0.1)) for path in bodies
        ),
        geoms=tuple(
            GeomDescription(path=f"{path}/shape", body=i, kind="sphere", size=np.full(3, 0.1))
            for i, path in enumerate(bodies)
        ),
    )


ROBOTS = scene(
    "/World/envs/env_0/Robot/base",
    "/World/envs/env_0/Robot/left/foot",
    "/World/envs/env_0/Robot/right/foot",
    "/World/envs/env_0/Robot_2/base",
    "/World/Table",
)


@pytest.mark.parametrize(
    ("expression", "local"),
    [
        ("{ENV_REGEX_NS}/Robot", "/World/envs/env_0/Robot"),
        ("/World/envs/env_.*/Robot", "/World/envs/env_0/Robot"),
        ("/World/envs/.*/Robot_[0-9]", "/World/envs/env_0/Robot_[0-9]"),
        ("/World/envs/*/Robot", "/World/envs/env_0/Robot"),
        ("/World/.*/env_[0-9]+", "/World/envs/env_0"),
        ("/World/Table", "/World/Table"),
        ("/World/envs", "/World/envs"),
    ],
)
def test_expressions_speak_of_the_first_environment(expression, local):
    assert first_environment(expression, ENVS) == local


def test_some_environments_are_not_enough():
    with pytest.raises(StageError, match=r"matches /World/envs/env_0 but not /World/envs/env_10"):
        first_environment("/World/envs/env_[0-9]/Robot", ENVS)
    with pytest.raises(StageError, match="ENV_REGEX_NS"):
        first_environment("/World/envs/env_3/Robot", ENVS)
    assert first_environment("/World/envs/env_0/Robot", ENVS[:1]) == "/World/envs/env_0/Robot"


def test_prims_are_matched_level_by_level():
    assert matching_prims(ROBOTS, "{ENV_REGEX_NS}/Robot", ENVS) == ("/World/envs/env_0/Robot",)
    assert matching_prims(ROBOTS, "{ENV_REGEX_NS}/Robot.*", ENVS) == (
        "/World/envs/env_0/Robot",
        "/World/envs/env_0/Robot_2",
    )
    assert matching_prims(ROBOTS, "/World/T.*", ENVS) == ("/World/Table",)
    assert matching_prims(ROBOTS, "{ENV_REGEX_NS}/Robot/.*/foot", ENVS) == (
        "/World/envs/env_0/Robot/left/foot",
        "/World/envs/env_0/Robot/right/foot",
    )


@pytest.mark.parametrize("expression", ["{ENV_REGEX_NS}/Rob", "/World/Table/x", "/Tab", "/Worlds"])
def test_what_matches_nothing_is_refused(expression):
    with pytest.raises(StageError, match="matches no prim"):
        matching_prims(ROBOTS, expression, ENVS)


def test_a_part_that_is_no_expression_is_refused():
    with pytest.raises(InvalidValueError, match="a regular expression"):
        matching_prims(ROBOTS, "/World/(", ENVS)


def test_prims_above_those_with_physics_are_matched():
    assert matching_prims(ROBOTS, "/World") == ("/World",)
    found = matching_prims(ROBOTS, "/World/envs/env_0/Robot/left")
    assert found == ("/World/envs/env_0/Robot/left",)
    assert matching_prims(ROBOTS, "/World/Table/shape") == ("/World/Table/shape",)


names = st.text("ab1_", min_size=1, max_size=3)
parts = st.one_of(names, st.sampled_from([".*", "a.*", "[ab]", "a|b", "a?b", "1"]))


@given(
    paths=st.lists(st.lists(names, min_size=1, max_size=3), max_size=12),
    expression=st.lists(parts, min_size=1, max_size=3),
)
def test_path_trees_match_as_every_path_by_itself(paths, expression):
    """Prims and all above them, in the order in which they come."""
    patterns = [re.compile(part) for part in expression]
    whole = ["/" + "/".join(path) for path in paths]
    known = dict.fromkeys("/" + "/".join(path[:end]) for path in paths for end in range(1, 4))
    wanted = [
        path
        for path in known
        if len(parts := path[1:].split("/")) == len(patterns)
        and all(p.fullmatch(name) for p, name in zip(patterns, parts, strict=True))
    ]
    assert PathTree(whole).matching(patterns) == tuple(wanted)


def test_elements_below_a_prim_are_in_the_engines_order():
    compiled = compile_scene(ROBOTS)
    found = elements_below(compiled, "body", "/World/envs/env_0/Robot")
    assert [compiled.names.paths("body")[i] for i in found.indices] == list(found.paths)
    assert found.names == ("base", "left/foot", "right/foot")
    assert elements_below(compiled, "geom", "/World/Table").names == ("shape",)
    assert elements_below(compiled, "body", "/World/Tab").indices == ()


def test_names_are_as_short_as_they_can_be():
    assert relative_names(["/a/b/foot", "/a/c/foot", "/a/c/hand"]) == ("b/foot", "c/foot", "hand")
    assert relative_names(["/a/x/foot", "/b/x/foot"]) == ("a/x/foot", "b/x/foot")
    assert relative_names([]) == ()


def test_matches_have_to_be_built_alike():
    assert aligned("bodies", ["/A", "/B"], [("x", "y"), ("x", "y")]) == ("x", "y")
    with pytest.raises(StageError, match=r"/A and /B .* other bodies: x, y; y, x"):
        aligned("bodies", ["/A", "/B"], [("x", "y"), ("y", "x")])


def test_instances_are_world_by_world():
    prims = ("/World/envs/env_0/A", "/World/envs/env_0/B")
    assert instance_paths(prims, ENVS[:2], 2) == [
        "/World/envs/env_0/A",
        "/World/envs/env_0/B",
        "/World/envs/env_1/A",
        "/World/envs/env_1/B",
    ]
    assert instance_paths(("/World/Table",), ENVS[:2], 2) == ["/World/Table"] * 2
    assert instance_paths(("/Table",), (), 1) == ["/Table"]


@pytest.mark.parametrize("path", ["/a", "/a/b/c", "/ab", "/ab/c", "/b", "/", "/a:1", "/a/b:x:2"])
def test_a_path_is_below_any_of_several_prims_if_it_is_below_one(path):
    for prims in ({"/a"}, {"/a/b", "/b"}, {"/ab/c"}, {"/"}, set()):
        assert below_any(path, prims) == any(is_below(path, prim) for prim in prims)


def test_all_elements_that_are_made_for_a_prim_belong_to_it():
    parts = scene("/World/rock")
    shapes = [GeomDescription(path=f"/World/rock{part}", body=0, kind="sphere",
                              size=np.full(3, 0.1)) for part in ("", ":1", ":2")]  # fmt: skip
    parts = replace(parts, geoms=tuple(shapes))
    assert elements_below(compile_scene(parts), "geom", "/World/rock").indices == (0, 1, 2)
    assert matching_prims(parts, "/World/.*") == ("/World/rock",)
    assert all(geom.is_below("/World/rock") and geom.is_below("/") for geom in shapes)
    assert not is_below("/World/rocks:1", "/World/rock")
    assert [*at_and_above("/World/rock:1")] == ["/World/rock:1", "/World/rock", "/World"]
