"""Large scenes are compiled in parts, to the very model that they have as a whole."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from corpus_files import corpus_models
from engine_scenes import body, dof, geom, ground, joint, pose, scene
from hypothesis import example, given, settings
from hypothesis import strategies as st
from part_scenes import MANY, Chance, both, watched_joins
from pxr import UsdGeom, UsdPhysics

import usdsim
from usdsim.core.errors import CompileError
from usdsim.engine import compile_scene
from usdsim.engine.compile.parts import join, plan
from usdsim.engine.compile.parts import layout as join_layout
from usdsim.engine.compile.parts.layout import ModelLayout, layout
from usdsim.engine.compile.parts.names import name_map
from usdsim.engine.compile.parts.statistics import FIELDS, at_rest, statistics
from usdsim.engine.compile.shapes import crowds
from usdsim.parser import parse_stage
from usdsim.parser.description import WORLD, MaterialDescription, MimicDescription


@pytest.fixture
def joins():
    with watched_joins(48) as found:
        yield found


def saved(model):
    """All that a model has, in the engine's own form."""
    data = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    return data.tobytes()


def assert_equal(parts, whole):
    assert saved(parts.mj) == saved(whole.mj)
    assert parts.mj.flg_adhesion == whole.mj.flg_adhesion
    for kind in whole.names.kinds:
        assert parts.names.paths(kind) == whole.names.paths(kind)
    for field in ("qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat"):
        assert np.array_equal(getattr(parts.initial, field), getattr(whole.initial, field))
    assert parts.notes == whole.notes
    assert parts.sleeps == whole.sleeps


@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**16), bodies=st.sampled_from([3, MANY]), exact=st.booleans(),
    loose=st.booleans(),
)  # fmt: skip
def test_groups_of_static_shapes_make_the_model_of_single_ones(seed, bodies, exact, loose):
    chance = Chance(seed, bodies)
    for i in range(30):
        chance.shape(f"/wall{i}", WORLD, collides=chance.often(0.7))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crowds, "GROUP", 7)
        groups, single = both(chance.scene(), exact, loose=loose)
    assert groups.mj.body_geomnum[0] > 14
    assert_equal(groups, single)


@settings(max_examples=12)
@given(
    seed=st.integers(0, 2**16), size=st.integers(3, 120), loose=st.booleans(), exact=st.booleans()
)
@example(seed=4, size=13, loose=False, exact=False)
@example(seed=5, size=40, loose=False, exact=True)
def test_parts_make_the_model_of_the_whole(seed, size, loose, exact):
    # Filters and mimics may tie all bodies together, which leaves no parts.
    with watched_joins(size):
        assert_equal(*both(Chance(seed).scene(), exact, loose=loose))


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


def loose(row):
    """Boxes in MJCF, beside each other."""
    shape = '<geom type="box" size=".1 .1 .1"/>'
    return "".join(f'<body pos="{i} {row} 1"><freejoint/>{shape}</body>' for i in range(MANY // 2))


REFERRING = f"""
<mujoco>
  <worldbody>
    <camera pos="1 2 3"/><camera mode="trackcom"/><light pos="0 0 9"/>
    {loose(0)}
    <body name="arm" pos="0 5 1">
      <joint name="a" axis="0 1 0"/>
      <geom name="arm" type="capsule" size=".05 .1"/>
      <site name="arm"/>
      <body name="fore" pos="0 0 .3">
        <joint name="b" axis="1 0 0"/>
        <geom name="fore" size=".05"/>
        <body name="hand" pos="0 0 .3">
          <joint name="c" type="ball"/>
          <geom type="capsule" size=".05 .1"/>
          <site name="hand" pos="0 0 .1"/>
          <camera name="hand"/>
        </body>
      </body>
    </body>
    <body name="slider" pos="0 6 1">
      <joint name="d" type="slide"/>
      <geom name="slider" size=".1"/>
      <site name="slider"/>
    </body>
    <body name="free" pos="0 7 1"><freejoint/><geom name="free" size=".1"/></body>
    {loose(1)}
  </worldbody>
  <tendon>
    <fixed name="sum"><joint joint="a" coef="1"/><joint joint="d" coef="2"/></fixed>
    <spatial name="rope">
      <site site="arm"/><geom geom="fore"/><site site="hand"/>
      <pulley divisor="2"/><site site="arm"/><site site="slider"/>
    </spatial>
  </tendon>
  <equality>
    <joint joint1="a" joint2="d"/><joint joint1="b"/><weld body1="free" body2="slider"/>
    <connect site1="slider" site2="hand"/><tendon tendon1="sum" tendon2="rope"/>
  </equality>
  <contact>
    <exclude body1="hand" body2="free"/><exclude body1="slider" body2="arm"/>
    <pair geom1="arm" geom2="free" condim="1"/>
  </contact>
  <actuator>
    <position joint="d" kp="3"/><motor jointinparent="c" gear="0 1 0"/><motor tendon="rope"/>
    <motor site="hand" refsite="arm"/><adhesion body="free" ctrlrange="0 1" gain="2"/>
    <motor name="crank" cranksite="arm" slidersite="slider" cranklength="1"/>
    <general joint="a" dyntype="filter" dynprm=".1" gainprm="2"/>
  </actuator>
  <sensor>
    <jointpos joint="a"/><ballquat joint="c"/><touch site="slider"/><tendonpos tendon="rope"/>
    <framepos objtype="body" objname="hand" reftype="site" refname="slider"/><clock/>
    <framequat objtype="camera" objname="hand"/><distance geom1="arm" geom2="slider"/>
    <actuatorfrc actuator="crank"/><subtreecom body="arm"/>
  </sensor>
  <custom>
    <tuple name="all">
      <element objtype="body" objname="free"/><element objtype="geom" objname="free"/>
      <element objtype="actuator" objname="crank"/><element objtype="site" objname="slider"/>
    </tuple>
  </custom>
</mujoco>"""
"""Elements that refer to others, whose indices differ between the first part and the whole."""


def test_elements_refer_to_what_they_do_in_the_whole(joins, tmp_path):
    file = tmp_path / "scene.xml"
    file.write_text(REFERRING)
    parts, whole = both(parse_stage(usdsim.convert(file)).scene)
    assert_equal(parts, whole)
    assert joins


@pytest.mark.nightly
@pytest.mark.corpus
@pytest.mark.parametrize(
    "path", corpus_models("mjcf") + corpus_models("urdf"), ids=lambda path: path.stem
)
def test_robots_among_many_boxes_are_compiled_as_in_the_whole(path):
    stage = usdsim.convert(path)
    size = 0.1 / UsdGeom.GetStageMetersPerUnit(stage)
    for i in range(plan.LEAST):
        box = UsdGeom.Cube.Define(stage, f"/many/box_{i}")
        box.CreateSizeAttr(size)
        box.AddTranslateOp().Set((1000.0 + 2.0 * size * i, 0.0, 0.0))
        UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
        UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    assert_equal(*both(parse_stage(stage).scene))


def test_references_of_unknown_types_take_the_whole(joins, monkeypatch):
    kinds = tuple(row for row in join.TYPED if row[1] != "actuator_trntype")
    monkeypatch.setattr(join, "TYPED", (*kinds, ("actuator_trnid", "actuator_trntype", {})))
    assert_equal(*both(Chance(0).scene()))
    assert not joins


def test_bodies_with_filters_take_part(joins):
    filters = frozenset({(3, 90), (-1, 100), (4, 91), (91, 150)})
    parts, whole = both(Chance(4).scene(body_filters=filters))
    assert_equal(parts, whole)
    assert joins


def test_bodies_that_ignore_each_other_are_in_one_part(joins):
    bodies = [body(f"/b{i}", pose((i, 0, 1))) for i in range(200)]
    shapes = [geom(f"/b{i}/g", i) for i in range(200)]
    apart = frozenset((i, i + 1) for i in range(0, 200, 2))
    parts, whole = both(scene(bodies, (), shapes, body_filters=apart))
    assert_equal(parts, whole)
    assert whole.mj.nexclude == 100
    # 200 bodies are four parts of 48 and one of the rest, beside that of the world.
    assert joins == [6]


def test_coupled_axes_are_in_the_parts_of_their_joints(joins):
    """Arms of two links, of which the second follows the first, or is held."""
    bodies, joints, shapes = [], [], []
    for i in range(0, 200, 2):
        bodies += [body(f"/b{i}", pose((i, 0, 1)), parent=WORLD, joints=(i,))]
        bodies += [body(f"/b{i + 1}", pose((i, 0, 2)), parent=i, joints=(i + 1,))]
        mimic = MimicDescription(joint=f"/j{i}", gearing=2.0) if i % 4 else None
        held = {} if mimic else {"lower": 0.3, "upper": 0.3}
        joints += [
            joint(dof(f"/j{i}", "hinge"), path=f"/j{i}", parent=WORLD, child=i),
            joint(
                dof(f"/j{i + 1}", "hinge", **held),
                path=f"/j{i + 1}", parent=i, child=i + 1, mimic=mimic,
            ),
        ]  # fmt: skip
        shapes += [geom(f"/b{i + k}/g", i + k) for k in range(2)]
    parts, whole = both(scene(bodies, joints, shapes))
    assert_equal(parts, whole)
    assert whole.mj.neq == len(whole.names.paths("equality")) == 100
    # 200 bodies are four parts of 48 and one of the rest, beside that of the world.
    assert joins == [6]


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
    found = statistics(model, at_rest(model))
    for name in FIELDS:
        assert np.array_equal(found[name], getattr(model.stat, name))


def test_names_are_hashed_as_by_the_engine():
    names = ["a", "b", "/World/body", "", "ü", "a longer name", "aa"]
    text = "".join(f'<body name="{name}"/>' if name else "<body/>" for name in names)
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    table = name_map([b"world", *(name.encode() for name in names)])
    assert np.array_equal(table, model.names_map[: len(table)])
