"""Who collides with whom: contacts present and absent."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from engine_scenes import body, contacts, dof, geom, joint, pose, scene

from usdsim.engine import compile_scene
from usdsim.engine.compile.shapes.filters import MANY_LINKS
from usdsim.parser.description import (
    WORLD,
    ArticulationDescription,
    CollisionGroupDescription,
)


def heap(count: int, **values):
    """Spheres that all overlap each other, on bodies that are free."""
    bodies = [body(f"/b{i}", pose((1e-3 * i, 0, 0))) for i in range(count)]
    shapes = [geom(f"/b{i}/ball", i) for i in range(count)]
    return scene(bodies, (), shapes, **values)


def pairs_of(*names: str) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in combinations(names, 2)}


def touching(description) -> set[frozenset[str]]:
    found = contacts(compile_scene(description))
    return {frozenset(path.removesuffix("/ball").removeprefix("/") for path in p) for p in found}


def test_everything_touches_by_default():
    assert touching(heap(3)) == pairs_of("b0", "b1", "b2")


def test_filtered_bodies_do_not_touch():
    kept = touching(heap(3, body_filters=frozenset({(0, 1)})))
    assert kept == pairs_of("b0", "b1", "b2") - pairs_of("b0", "b1")


def test_body_filtered_from_the_world():
    floor = geom("/floor/ball", WORLD)
    filtered = replace(heap(2), body_filters=frozenset({(-1, 0)}))
    found = touching(replace(filtered, geoms=(*filtered.geoms, floor)))
    assert found == pairs_of("b0", "b1", "floor") - pairs_of("b0", "floor")


def test_filter_between_two_geoms_of_many():
    two = scene(
        [body("/a"), body("/b")],
        (),
        [geom("/a/0", 0), geom("/a/1", 0), geom("/b/0", 1), geom("/b/1", 1)],
        geom_filters=frozenset({(0, 2)}),
    )
    found = contacts(compile_scene(two))
    expected = {("/a/0", "/b/1"), ("/a/1", "/b/0"), ("/a/1", "/b/1")}
    assert found == {frozenset(pair) for pair in expected}


def test_geom_filters_of_whole_bodies_become_one_exclude():
    model = compile_scene(heap(2, geom_filters=frozenset({(0, 1)}))).mj
    assert model.nexclude == 1
    assert set(model.geom_contype) == {1}


@pytest.mark.parametrize(
    ("filtered", "expected"),
    [
        ({1}, {("b0", "b1"), ("b2", "b3")}),
        ({0}, {("b0", "b2"), ("b0", "b3"), ("b1", "b2"), ("b1", "b3"), ("b2", "b3")}),
    ],
)
def test_groups(filtered, expected):
    """Spheres 0 and 1 are in one group, 2 and 3 in the other."""
    groups = (
        CollisionGroupDescription(path="/g0", geoms=(0, 1), filtered=frozenset(filtered)),
        CollisionGroupDescription(path="/g1", geoms=(2, 3)),
    )
    assert touching(heap(4, groups=groups)) == {frozenset(pair) for pair in expected}


def test_more_filter_classes_than_mask_bits():
    """Each of 40 spheres ignores only its successor on the ring."""
    count = 40
    ring = frozenset(tuple(sorted((i, (i + 1) % count))) for i in range(count))
    # A second shape per body keeps the filters from becoming filters of bodies.
    heaped = heap(count)
    far = [geom(f"/b{i}/far", i, pose=pose((0, 10.0 + i, 0))) for i in range(count)]
    description = replace(heaped, geoms=(*heaped.geoms, *far), geom_filters=ring)
    everyone = pairs_of(*(f"b{i}" for i in range(count)))
    filtered = {frozenset((f"b{i}", f"b{(i + 1) % count}")) for i in range(count)}
    assert touching(description) == everyone - filtered


def test_partners_by_the_hundred_need_no_pairs():
    """Masks say that each of 300 spheres ignores one other, and touches all else."""
    count = 300
    heaped = heap(count)
    far = [geom(f"/b{i}/far", i, pose=pose((0, 10.0 + i, 0))) for i in range(count)]
    partners = frozenset((i, i + 1) for i in range(0, count, 2))
    described = replace(heaped, geoms=(*heaped.geoms, *far), geom_filters=partners)
    model = compile_scene(described).mj
    assert model.npair == 0
    types, affinities = model.geom_contype, model.geom_conaffinity
    meets = (types[:, None] & affinities) != 0
    paths = [model.geom(i).name for i in range(model.ngeom)]
    apart = {frozenset((paths[i], paths[j])) for i, j in np.argwhere(~(meets | meets.T)) if i != j}
    shapes = heaped.geoms
    assert apart == {frozenset(shapes[i].path for i in pair) for pair in partners}


def test_environments_of_one_world_ignore_each_other():
    """40 groups of two bodies each, which touch each other, the floor, and nothing else."""
    count = 40
    floor = geom("/floor/ball", WORLD)
    groups = [
        CollisionGroupDescription(
            path=f"/g{i}", geoms=(2 * i, 2 * i + 1), filtered=frozenset({*range(count)} - {i})
        )
        for i in range(count)
    ]
    heaped = heap(2 * count, groups=tuple(groups))
    found = touching(replace(heaped, geoms=(*heaped.geoms, floor)))
    own = {frozenset((f"b{2 * i}", f"b{2 * i + 1}")) for i in range(count)}
    assert found == own | {frozenset((f"b{i}", "floor")) for i in range(2 * count)}


def chain(collision=(False, False), fixed_base=False, **values):
    """Base, upper and lower body on hinges, all overlapping."""
    bodies = [
        body("/b0", joints=(2,) if fixed_base else ()),
        body("/b1", pose((0.01, 0, 0)), parent=0, joints=(0,)),
        body("/b2", pose((0.01, 0, 0)), parent=1, joints=(1,)),
    ]
    joints = [
        joint(dof("/j0"), path="/j0", parent=0, child=1, collision_enabled=collision[0]),
        joint(dof("/j1"), path="/j1", parent=1, child=2, collision_enabled=collision[1]),
        joint(path="/j2", kind="fixed", parent=WORLD, child=0),
    ][: 3 if fixed_base else 2]
    shapes = [geom(f"/b{i}/ball", i) for i in range(3)]
    return scene(bodies, joints, shapes, **values)


@pytest.mark.parametrize("fixed_base", [False, True])
def test_jointed_bodies_do_not_touch(fixed_base):
    assert touching(chain(fixed_base=fixed_base)) == pairs_of("b0", "b2")


@pytest.mark.parametrize("fixed_base", [False, True])
def test_jointed_bodies_touch_where_the_joint_says_so(fixed_base):
    found = touching(chain((True, False), fixed_base))
    assert found == pairs_of("b0", "b1") | pairs_of("b0", "b2")


def test_explicit_filter_wins_over_a_joint_that_allows_collision():
    found = touching(chain((True, False), body_filters=frozenset({(0, 1)})))
    assert found == pairs_of("b0", "b2")


def test_bodies_fixed_together_are_one_neighbour():
    """A tool fixed to the upper body does not touch the base the upper body hangs on."""
    bodies = [body("/b0"), body("/b1", parent=0, joints=(0,)), body("/b2", parent=1, joints=(1,))]
    joints = [
        joint(dof("/j0"), path="/j0", parent=0, child=1),
        joint(path="/j1", kind="fixed", parent=1, child=2),
    ]
    shapes = [geom(f"/b{i}/ball", i) for i in range(3)]
    assert touching(scene(bodies, joints, shapes)) == set()


def test_loop_joint_filters_its_bodies():
    loop = joint(path="/loop", kind="spherical", parent=0, child=1, in_tree=False)
    heaped = heap(3)
    found = touching(replace(heaped, joints=(loop,)))
    assert found == pairs_of("b0", "b1", "b2") - pairs_of("b0", "b1")


def test_articulation_without_self_collision():
    robot = ArticulationDescription(path="/b0", root=0, bodies=(0, 1, 2), self_collision=False)
    described = chain(articulations=(robot,))
    other = body("/b3", pose((0, 0.01, 0)))
    described = replace(
        described,
        bodies=(*described.bodies, other),
        geoms=(*described.geoms, geom("/b3/ball", 3)),
    )
    assert touching(described) == {frozenset((f"b{i}", "b3")) for i in range(3)}


def test_stage_with_its_own_options_keeps_the_engines_rule_for_fixed_bases():
    described = chain(fixed_base=True, options={"option.timestep": 0.002})
    assert touching(described) == pairs_of("b0", "b1") | pairs_of("b0", "b2")


def test_visual_shapes_never_touch():
    heaped = heap(2)
    looks = replace(heaped.geoms[0], collides=False)
    for exact in (False, True):
        compiled = compile_scene(replace(heaped, geoms=(looks, heaped.geoms[1])), exact=exact)
        assert contacts(compiled) == set()


def test_static_shapes_do_not_touch_each_other():
    walls = scene((), (), [geom(f"/w{i}", WORLD) for i in range(2)])
    assert contacts(compile_scene(walls)) == set()


def test_kinematic_body_touches_dynamic_ones_only():
    bodies = [body("/k0", kinematic=True), body("/k1", kinematic=True), body("/b0")]
    shapes = [geom(f"{b.path}/ball", i) for i, b in enumerate(bodies)]
    found = touching(scene(bodies, (), shapes, gravity=np.zeros(3)))
    assert found == {frozenset(("k0", "b0")), frozenset(("k1", "b0"))}


@pytest.mark.parametrize("crowded", [False, True])
def test_links_of_large_articulations_ignore_each_other(crowded):
    """By masks, also where there are more classes than bits."""
    count = MANY_LINKS + 1
    robot = ArticulationDescription(
        path="/b0", root=0, bodies=tuple(range(MANY_LINKS)), self_collision=False
    )
    described = heap(count, articulations=(robot,))
    alone = f"b{MANY_LINKS}"
    expected = {frozenset((f"b{i}", alone)) for i in range(MANY_LINKS)}
    if crowded:
        groups = [
            CollisionGroupDescription(path=f"/g{i}", geoms=(i,), filtered=(i,)) for i in range(40)
        ]
        described = replace(described, groups=tuple(groups))
    assert touching(described) == expected
    assert compile_scene(described).mj.nexclude == 0


def test_two_large_articulations_touch_each_other():
    half = MANY_LINKS
    robots = [
        ArticulationDescription(
            path=f"/b{start}", root=start, bodies=tuple(range(start, start + half)),
            self_collision=False,
        )
        for start in (0, half)
    ]  # fmt: skip
    found = touching(heap(2 * half, articulations=tuple(robots)))
    assert found == {frozenset((f"b{i}", f"b{half + j}")) for i in range(half) for j in range(half)}
