"""Large scenes are compiled in parts, to the very model that they have as a whole."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import body, dof, geom, ground, joint, pose, scene
from hypothesis import example, given, settings
from hypothesis import strategies as st

from usdsim.core.errors import CompileError
from usdsim.engine import compile_scene
from usdsim.engine.compile import pipeline
from usdsim.engine.compile.parts import join, plan
from usdsim.engine.compile.parts import layout as join_layout
from usdsim.engine.compile.parts.layout import ModelLayout, layout
from usdsim.engine.compile.parts.names import name_map
from usdsim.engine.compile.parts.statistics import FIELDS, statistics
from usdsim.math.meshes.hull import convex_hull
from usdsim.parser.description import (
    WORLD,
    DriveDescription,
    GenericDescription,
    MaterialDescription,
    MeshDescription,
)

MANY = 220
"""Bodies whose memory is sized from the scene."""
SHAPES = {
    "box": (0.1, 0.2, 0.05),
    "sphere": (0.1, 0.0, 0.0),
    "capsule": (0.1, 0.2, 0.0),
    "cylinder": (0.1, 0.2, 0.0),
    "mesh": (0.0, 0.0, 0.0),
}


@contextmanager
def watched_joins(size):
    """Numbers of parts that were joined, for scenes of any size in parts of one."""
    found = []

    def watched(parts, *others):
        result = join.joined(parts, *others)
        found.append(len(parts))
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("usdsim.engine.compile.parts.compile.joined", watched)
        patch.setattr(plan, "LEAST", 1)
        patch.setattr(plan, "SIZE", size)
        yield found


@pytest.fixture
def joins():
    with watched_joins(48) as found:
        yield found


def saved(model):
    """All that a model has, in the engine's own form."""
    data = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    return data.tobytes()


def both(description, exact=False, **values):
    """A scene compiled in parts, and as a whole."""
    return [
        pipeline._compile(description, exact, divisible=divisible, **values)[0]
        for divisible in (True, False)
    ]


def assert_equal(parts, whole):
    assert saved(parts.mj) == saved(whole.mj)
    assert parts.mj.flg_adhesion == whole.mj.flg_adhesion
    for kind in whole.names.kinds:
        assert parts.names.paths(kind) == whole.names.paths(kind)
    for field in ("qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat"):
        assert np.array_equal(getattr(parts.initial, field), getattr(whole.initial, field))
    assert parts.notes == whole.notes
    assert parts.sleeps == whole.sleeps


class Chance:
    """A scene drawn at random: loose bodies of all kinds, and robots among them."""

    def __init__(self, seed, count=MANY):
        self.random = np.random.default_rng(seed)
        self.bodies, self.joints, self.geoms = [], [], [ground()]
        self.meshes = {path: self.mesh(path) for path in ("/stone", "/shard")}
        self.looks = [
            GenericDescription(kind="material", path=f"/{name}", overrides={"rgba": [*rgb, 1.0]})
            for name, rgb in (("red", (0.8, 0.1, 0.1)), ("blue", (0.1, 0.1, 0.8)))
        ]
        robots = self.random.choice(count, 3)
        while len(self.bodies) < count:
            if len(self.bodies) in robots:
                self.robot()
            else:
                self.loose()

    def scene(self, **values):
        values = {"meshes": self.meshes, "elements": tuple(self.looks)} | values
        return scene(self.bodies, self.joints, self.geoms, **values)

    def mesh(self, path):
        points, faces = convex_hull(0.1 * self.random.normal(size=(12, 3)))
        return MeshDescription(path=path, points=points, faces=faces)

    def place(self, spread):
        random = self.random
        return pose(spread * random.normal(size=3), random.normal(size=3), random.uniform(0, 3))

    def often(self, share):
        return bool(self.random.random() < share)

    def weight(self):
        random = self.random
        turn = self.place(0.0).quat if self.often(0.5) else np.array([0.0, 0.0, 0.0, 1.0])
        return {
            "mass": random.uniform(0.1, 3.0),
            "inertia": random.uniform(0.5, 1.0, 3),
            "com": random.normal(size=3) * 0.02 * self.often(0.3),
            "inertia_quat": turn,
        }

    def loose(self):
        index, random = len(self.bodies), self.random
        values = self.weight() | {
            "kinematic": self.often(0.1),
            "fixed": self.often(0.05),
            "gravity_compensation": float(self.often(0.1)),
            "starts_asleep": self.often(0.1),
            "sleep_threshold": 0.0 if self.often(0.1) else None,
            "surface_velocity": random.normal(size=6) * self.often(0.05),
            "angular_damping": float(self.often(0.1)),
        }
        self.bodies.append(body(f"/b{index}", self.place(5.0), **values))
        for i in range(random.integers(0, 4) if self.often(0.3) else 1):
            kind = str(random.choice(list(SHAPES)))
            mesh = str(random.choice(list(self.meshes))) if kind == "mesh" else None
            path, at = f"/b{index}/g{i}", self.place(0.1) if self.often(0.5) else pose()
            look = str(random.choice(["/red", "/blue"]))
            values = {
                "rgba": random.uniform(size=4) if self.often(0.3) else None,
                "collides": i == 0 or self.often(0.7),
                "overrides": {"material": look} if self.often(0.3) else {},
            }
            self.geoms.append(geom(path, index, kind, SHAPES[kind], mesh=mesh, pose=at, **values))

    def robot(self):
        free, first = self.often(0.5), len(self.bodies)
        for link in range(self.random.integers(1, 5)):
            index = first + link
            parent = index - 1 if link else WORLD
            at = pose((0.3, 0.0, 0.0)) if link else self.place(5.0)
            if free and not link:
                self.bodies.append(body(f"/b{index}", at, **self.weight()))
            else:
                stiffness = float(self.random.choice([10.0, 1e6]))
                drive = DriveDescription(stiffness=stiffness, damping=1.0)
                axis = dof(f"/j{index}", "hinge", drive=drive if self.often(0.7) else None)
                number = len(self.joints)
                self.joints.append(joint(axis, path=axis.path, parent=parent, child=index))
                values = self.weight() | {"parent": parent, "joints": (number,)}
                self.bodies.append(body(f"/b{index}", at, **values))
            self.geoms.append(geom(f"/b{index}/g", index, "capsule", (0.05, 0.1, 0.0)))


@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**16), size=st.integers(3, 120), loose=st.booleans(), exact=st.booleans()
)
@example(seed=4, size=13, loose=False, exact=False)
@example(seed=5, size=40, loose=False, exact=True)
def test_parts_make_the_model_of_the_whole(seed, size, loose, exact):
    with watched_joins(size) as joins:
        assert_equal(*both(Chance(seed).scene(), exact, loose=loose))
    assert joins


def test_scenes_of_many_bodies_are_compiled_in_parts(joins):
    assert_equal(*both(Chance(0).scene()))
    assert len(joins) == 1 and joins[0] > 4
    plan.LEAST = 2 * MANY
    compile_scene(Chance(0).scene())
    assert len(joins) == 1


def test_shapes_of_exact_models_keep_their_materials(joins):
    parts, whole = both(Chance(3).scene(), exact=True)
    assert_equal(parts, whole)
    assert joins and {-1, 0, 1} == {*parts.mj.geom_matid.tolist()}


def test_authored_memory_takes_the_whole(joins):
    compile_scene(Chance(1).scene(options={"memory": 2**27}))
    assert not joins


def test_sums_need_the_lanes_of_the_whole(joins, monkeypatch):
    monkeypatch.setattr(
        "usdsim.engine.compile.parts.partition.ScenePart.fill", lambda *_, **__: None
    )
    assert_equal(*both(Chance(2).scene()))
    assert not joins


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        (join, "_SERIES", "3.9."),
        (join, "COUNTS", join.COUNTS - {"geom_group"}),
        (join, "layout", lambda: None),
        (join, "loaded", lambda data: join_layout.loaded(data[:-1])),
        (join, "layout", lambda: ModelLayout(layout().sizes[::-1], layout().arrays)),
    ],
)
def test_what_is_not_understood_takes_the_whole(joins, monkeypatch, tmp_path, module, name, value):
    monkeypatch.chdir(tmp_path)  # The engine logs what it does not load.
    monkeypatch.setattr(module, name, value)
    assert_equal(*both(Chance(3).scene()))
    assert not joins


def test_bodies_that_only_stand_take_part(joins):
    """Props of a set that is looked at have no degree of freedom among them."""
    bodies = [body(f"/b{i}", pose((i, 0, 1)), kinematic=True) for i in range(MANY)]
    shapes = [geom(f"/b{i}/shape", i, "box", (0.1, 0.1, 0.1)) for i in range(MANY)]
    assert_equal(*both(scene(bodies, geoms=[ground(), *shapes])))
    assert joins


def test_bodies_with_filters_take_part(joins):
    filters = frozenset({(3, 90), (-1, 100)})
    assert_equal(*both(Chance(4).scene(body_filters=filters)))
    assert joins


@pytest.mark.parametrize("materials", [1, 3])
def test_contact_pairs_of_bodies_in_parts_are_those_of_the_whole(joins, materials):
    """One material meets that of the ground; three also meet each other, and some stick."""
    chance = Chance(4, 200 if materials == 1 else 300)
    surfaces = [
        MaterialDescription(
            path=f"/m{i}",
            static_friction=0.4 if i else 0.1,
            dynamic_friction=0.1 * (i + 1),
            contact_stiffness=1e4 if i == 1 else None,
        )
        for i in range(materials)
    ]
    some = chance.random.choice(chance.geoms[1:], 20, replace=False) if materials > 1 else ()
    chance.geoms = [
        replace(g, material=None)
        if g.body == WORLD
        else replace(g, material=i % materials, collides=materials == 1 or g in some)
        for i, g in enumerate(chance.geoms)
    ]
    parts, whole = both(chance.scene(materials=tuple(surfaces)))
    assert whole.mj.npair > 100
    assert_equal(parts, whole)
    assert parts.mixed_pairs == whole.mixed_pairs
    for field in ("pairs", "geoms", "modes", "first"):
        assert np.array_equal(
            getattr(parts.surfaces.sticking, field), getattr(whole.surfaces.sticking, field)
        )
    assert joins


def test_refused_bodies_of_parts_are_named(joins):
    chance = Chance(6)
    path = next(b.path for b in reversed(chance.bodies) if not (b.joints or b.kinematic or b.fixed))
    chance.bodies = [
        replace(b, inertia=np.array([1.0, 0.1, 0.1])) if b.path == path else b
        for b in chance.bodies
    ]
    with pytest.raises(CompileError, match=f"'{path}'.*moments"):
        compile_scene(chance.scene())
    assert not joins


def test_notes_are_told_once(joins, caplog, monkeypatch):
    bodies = [body(f"/b{i}", com=np.array([0.1, 0, 0]), linear_damping=1.0) for i in range(MANY)]
    for series in ("4.0.", "3.9."):
        monkeypatch.setattr(join, "_SERIES", series)
        caplog.clear()
        compiled = compile_scene(scene(bodies))
        assert len(caplog.records) == len(compiled.notes) == MANY
    assert len(joins) == 1


def test_statistics_are_those_of_the_compiler():
    model = compile_scene(Chance(5).scene(), exact=True).mj
    found = statistics(model)
    for name in FIELDS:
        assert np.array_equal(found[name], getattr(model.stat, name))


def test_names_are_hashed_as_by_the_engine():
    names = ["a", "b", "/World/body", "", "ü", "a longer name", "aa"]
    text = "".join(f'<body name="{name}"/>' if name else "<body/>" for name in names)
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    table = name_map([b"world", *(name.encode() for name in names)])
    assert np.array_equal(table, model.names_map[: len(table)])
