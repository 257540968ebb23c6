"""Friction and restitution that differ between worlds and change while they are simulated."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import mujoco
import numpy as np
import pytest
from engine_scenes import G, X, body, dof, geom, ground, joint, pose, scene

from usdsim.core.errors import InvalidValueError, ShapeError, UnsupportedError
from usdsim.engine import CpuEngine, compile_scene
from usdsim.engine.compile.shapes.filters import CollisionFilter
from usdsim.parser.description import (
    ArticulationDescription,
    GenericDescription,
    MaterialDescription,
)

SIZE, BOX = 0.1, "/body/box"
FIELDS = ("geom_friction", "geom_solref", "geom_solimp", "pair_friction", "pair_solref")
FIELDS += ("pair_solimp", "pair_solreffriction")


@pytest.fixture
def large(monkeypatch):
    """Treat every scene as one too large to have contact pairs for all its shapes."""
    monkeypatch.setattr("usdsim.engine.surfaces.varied.FEW_PAIRS", 0)


def material(path, friction=0.5, restitution=0.0, combine=None, **values):
    return MaterialDescription(
        path=path,
        static_friction=friction,
        dynamic_friction=friction,
        restitution=restitution,
        friction_combine=combine,
        restitution_combine=combine,
        **values,
    )


def box_on_table(mine=None, table=None, tilt=0.0, varied=(BOX,), **values):
    """A box on a plane; gravity is tilted towards +x by an angle [rad]."""
    materials = (mine or material("/mine"), table or material("/table"))
    resting = body(at=pose((0, 0, SIZE)), inertia=np.full(3, 0.4 * SIZE**2))
    shapes = [ground(material=1), geom(BOX, 0, "box", (SIZE,) * 3, material=0)]
    gravity = G * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    return scene(
        [resting], (), shapes, materials=materials, gravity=gravity,
        varied_surfaces=frozenset(varied), **values,
    )  # fmt: skip


def ball_above_table(mine=None, table=None, **values):
    materials = (mine or material("/mine"), table or material("/table"))
    return scene(
        [body(at=pose((0, 0, 1.1)))], (), [ground(material=1), geom(material=0)],
        materials=materials, varied_surfaces=frozenset({"/body/shape"}), **values,
    )  # fmt: skip


def engine(description, num_envs=1) -> CpuEngine:
    return CpuEngine(compile_scene(description), num_envs)


def index(sim, path=BOX) -> int:
    return sim.compiled.names.index("geom", path)


def params(sim) -> dict[str, np.ndarray]:
    return {field: np.array(sim.param(field)) for field in FIELDS}


def rebounds(sim) -> np.ndarray:
    """Speed after the first impact over the speed before it, in each world."""
    speeds = []
    for _ in range(420):
        sim.step()
        speeds.append(sim.read("qvel")[:, 2].copy())
    return np.max(speeds, axis=0) / -np.min(speeds, axis=0)


# -- friction --------------------------------------------------------------------------------------

MODES = [
    (None, None, lambda a, b: (a + b) / 2),
    ("min", None, min),
    ("min", "multiply", lambda a, b: a * b),
    ("max", "min", max),
]


@pytest.mark.parametrize(("first", "second", "mixed"), MODES)
def test_friction_of_each_world_brakes_as_the_materials_combine(first, second, mixed):
    own, other, tilt, steps = (0.2, 0.4, 0.9), 0.6, np.radians(35), 250
    table = material("/table", other, combine=second)
    sim = engine(box_on_table(material("/mine", combine=first), table, tilt), 3)
    sim.set_surfaces([[[mu, mu, 0.0]] for mu in own], geoms=[index(sim)])
    sim.step(steps)
    moved = sim.read("qpos")[:, 0]
    t = steps * 0.002
    for mu, distance in zip(own, moved, strict=True):
        gain = max(0.0, np.sin(tilt) - mixed(mu, other) * np.cos(tilt))
        assert distance == pytest.approx(0.5 * G * gain * t**2, rel=0.02, abs=2e-3)


def test_equal_materials_combine_by_their_mode_once_one_changes():
    # The engine's own maximum would hold the box where the average of 0.2 and 1 lets it slide.
    tilt = np.arctan(0.7)
    same = material("/mine", 1.0), material("/table", 1.0)
    sim = engine(box_on_table(*same, tilt), 2)
    sim.set_surfaces([0.2, 0.2, 0.0], [1], [index(sim)])
    sim.step(250)
    held, slid = sim.read("qpos")[:, 0]
    gain = np.sin(tilt) - 0.6 * np.cos(tilt)
    assert abs(held) < 1e-3
    assert slid == pytest.approx(0.5 * G * gain * 0.25, rel=0.03)


def test_torsional_and_rolling_friction_stay():
    mine = material("/mine", torsional_friction=0.02, rolling_friction=0.003)
    sim = engine(box_on_table(mine), 2)
    before = np.array(sim.param("pair_friction"))
    sim.set_surfaces([0.9, 0.9, 0.0], [1], [index(sim)])
    after = sim.param("pair_friction")
    np.testing.assert_array_equal(after[:, :, 2:], before[:, :, 2:])
    np.testing.assert_allclose(after[:, 0, 0], [0.5, 0.7])


# -- restitution -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("first", "second", "mixed"), MODES)
def test_restitution_of_each_world_rebounds_as_the_materials_combine(first, second, mixed):
    own, other = (0.3, 0.6, 1.0), 0.8
    table = material("/table", restitution=other, combine=second)
    sim = engine(ball_above_table(material("/mine", combine=first), table), 3)
    sim.set_surfaces([[[0.5, 0.5, e]] for e in own], geoms=[index(sim, "/body/shape")])
    expected = [mixed(e, other) for e in own]
    assert rebounds(sim) == pytest.approx(expected, abs=0.025)


def test_what_bounced_lies_dead_when_restitution_is_taken_away():
    lively = material("/mine", restitution=0.8), material("/table", restitution=0.8)
    sim = engine(ball_above_table(*lively), 2)
    both = [index(sim, path) for path in ("/body/shape", "/ground")]
    assert sim.surfaces[0, both, 2] == pytest.approx([0.8, 0.8])
    sim.set_surfaces([0.5, 0.5, 0.0], [1], both)
    found = rebounds(sim)
    assert found[0] == pytest.approx(0.8, abs=0.02) and found[1] < 0.15


def test_restitution_set_and_taken_back_leaves_no_trace():
    sim = engine(ball_above_table(), 3)
    before = params(sim)
    surfaces = sim.surfaces
    for restitution in (0.7, 0.0):
        sim.set_surfaces([0.5, 0.5, restitution], [0, 2], [index(sim, "/body/shape")])
        assert (sim.surfaces == surfaces).all() == (restitution == 0.0)
    assert rebounds(sim) == pytest.approx([rebounds(engine(ball_above_table()))[0]] * 3)
    for field, values in params(sim).items():
        np.testing.assert_array_equal(values, before[field], err_msg=field)


def test_a_compliant_material_keeps_its_spring():
    soft = material("/mine", contact_stiffness=2000.0, contact_damping=10.0)
    sim = engine(box_on_table(soft), 2)
    before = params(sim)
    sim.set_surfaces([0.5, 0.5, 0.9], geoms=[index(sim)])
    for field, values in params(sim).items():
        np.testing.assert_array_equal(values, before[field], err_msg=field)
    assert sim.surfaces[1, index(sim), 2] == 0.9


# -- reading and writing ---------------------------------------------------------------------------


def test_surfaces_are_those_of_the_materials_until_they_are_written():
    mine = MaterialDescription(
        path="/mine", static_friction=0.9, dynamic_friction=0.7, restitution=0.3
    )
    sim = engine(box_on_table(mine), 2)
    np.testing.assert_array_equal(sim.surfaces[:, index(sim)], [[0.9, 0.7, 0.3]] * 2)
    np.testing.assert_array_equal(sim.surfaces[:, index(sim, "/ground")], [[0.5, 0.5, 0.0]] * 2)
    sim.set_surfaces([1.1, 1.0, 0.05], [1], [index(sim)])
    np.testing.assert_array_equal(sim.surfaces[:, index(sim)], [[0.9, 0.7, 0.3], [1.1, 1.0, 0.05]])


def test_a_write_leaves_other_worlds_as_they_are_bit_by_bit():
    description = box_on_table(material("/mine", restitution=0.4), tilt=0.6)
    alone, written = engine(description, 3), engine(description, 3)
    before = params(alone)
    written.set_surfaces([0.3, 0.1, 0.9], [1], [index(written)])
    for field, values in params(written).items():
        np.testing.assert_array_equal(values[[0, 2]], before[field][[0, 2]], err_msg=field)
    for sim in (alone, written):
        sim.step(200)
    moved = written.read("qpos") - alone.read("qpos")
    assert (moved[[0, 2]] == 0.0).all() and abs(moved[1, 0]) > 0.01


def test_parameters_written_directly_show():
    sim = engine(box_on_table(MaterialDescription(path="/mine", static_friction=0.9)), 2)
    box = index(sim)
    sim.set_surfaces([0.8, 0.6, 0.4], None, [box])
    sim.set_param("geom_friction", [0.3, 0.005, 1e-4], [1], [box])
    expected = [[0.8, 0.6, 0.4], [0.3, 0.3, 0.4]]
    np.testing.assert_allclose(sim.surfaces[:, box], expected, rtol=1e-9)
    np.testing.assert_allclose(sim.param("pair_friction")[:, 0, 0], [0.55, 0.4])


def test_friction_of_one_geom_leaves_pairs_of_others_alone():
    boxes = [body(f"/b{i}", pose((i, 0, SIZE))) for i in range(2)]
    shapes = [geom(f"/b{i}/box", i, "box", (SIZE,) * 3) for i in range(2)]
    free = frozenset(shape.path for shape in shapes)
    sim = engine(scene(boxes, (), [ground(), *shapes], varied_surfaces=free))
    second = [
        i for i, pair in enumerate(sim.compiled.mj.pair_geom1) if index(sim, "/b0/box") not in (
            pair, sim.compiled.mj.pair_geom2[i]
        )
    ]  # fmt: skip
    sim.set_param("pair_friction", 0.123, ids=second)
    sim.set_surfaces([0.9, 0.9, 0.0], geoms=[index(sim, "/b0/box")])
    assert len(second) == 1
    np.testing.assert_array_equal(sim.param("pair_friction")[0, second], 0.123)


def test_a_model_that_is_compiled_anew_keeps_them():
    sim = engine(box_on_table(material("/mine", restitution=0.3)), 2)
    sim.set_surfaces([0.8, 0.6, 0.9], [1], [index(sim)])
    before, surfaces = params(sim), sim.surfaces
    sim.set_param("body_ipos", [0.01, 0.0, 0.0], ids=[1])
    np.testing.assert_array_equal(sim.surfaces, surfaces)
    for field, values in params(sim).items():
        np.testing.assert_array_equal(values, before[field], err_msg=field)


BAD = [
    ([0.5, 0.5, 1.1], InvalidValueError, "restitution from 0 to 1"),
    ([0.5, -0.1, 0.0], InvalidValueError, "friction of 0 or more"),
    ([np.nan, 0.5, 0.0], InvalidValueError, "surfaces"),
    ([0.5, np.inf, 0.0], InvalidValueError, "surfaces"),
    ([0.5, 0.5], ShapeError, r"\(2, 1, 3\)"),
]


@pytest.mark.parametrize(("values", "error", "words"), BAD)
def test_refused_values_change_nothing(values, error, words):
    sim = engine(box_on_table(), 2)
    before, surfaces = params(sim), sim.surfaces
    with pytest.raises(error, match=words):
        sim.set_surfaces(values, geoms=[index(sim)])
    with pytest.raises(InvalidValueError, match="geoms"):
        sim.set_surfaces([0.5, 0.5, 0.0], geoms=[99])
    np.testing.assert_array_equal(sim.surfaces, surfaces)
    for field, now in params(sim).items():
        np.testing.assert_array_equal(now, before[field])


# -- which pairs there are -------------------------------------------------------------------------


def contacts(compiled) -> list[tuple]:
    """What the engine makes of the contacts at the start."""
    data = mujoco.MjData(compiled.mj)
    data.qpos[:] = compiled.initial.qpos
    mujoco.mj_forward(compiled.mj, data)
    order = sorted(data.contact, key=lambda c: (c.geom.tolist(), c.pos.tolist()))
    return [
        (*c.geom, c.dim, *c.friction, *c.solref, *c.solreffriction, *c.solimp, c.includemargin)
        for c in order
    ]


DIALECT = {"condim": 4, "solref": np.array([0.03, 0.8])}
SOLVER = [
    {},
    {"priority": 1},
    {"solmix": 3.0, "solimp": np.array([0.8, 0.9, 0.01, 0.4, 3.0])},
    {"solref": np.array([-500.0, -20.0]), "margin": 0.01, "gap": 0.002},
]


@pytest.mark.parametrize("options", [{}, {"option.impratio": 5.0}])
@pytest.mark.parametrize("overrides", SOLVER)
def test_pairs_by_themselves_change_no_contact(overrides, options, large):
    table = ground(material=1, overrides={"condim": 3})
    box = geom(BOX, 0, "box", (SIZE,) * 3, material=0, overrides=DIALECT | overrides)
    fixed = replace(box_on_table(varied=()), geoms=(table, box), options=options)
    free = replace(fixed, varied_surfaces=frozenset({BOX}))
    plain, paired = compile_scene(fixed), compile_scene(free)
    # Where a shape has priority, the engine's own law is the one that is meant.
    assert (plain.mj.npair, paired.mj.npair) == (0, int("priority" not in overrides))
    assert len(contacts(plain)) == 4
    np.testing.assert_allclose(contacts(paired), contacts(plain), rtol=1e-12)


@pytest.mark.parametrize(("priorities", "expected"), [((0, 0), 0.4), ((1, 0), 0.1), ((0, 1), 0.4)])
def test_the_dialect_combines_as_it_does(priorities, expected):
    rough = {"friction": np.array([0.4, 0.005, 1e-4])}
    mine, other = ({**rough, "priority": priority} for priority in priorities)
    shapes = ground(overrides=other), geom(BOX, 0, "box", (SIZE,) * 3, overrides=mine)
    free = replace(box_on_table(), geoms=shapes)
    sim = engine(free)
    sim.set_surfaces([0.1, 0.1, 0.0], geoms=[index(sim)])
    assert sim.compiled.mj.npair == 0
    assert sim.world_data(0).contact.friction[0, 0] == pytest.approx(expected)


def test_a_mode_on_a_material_goes_before_the_dialect():
    rough = {"friction": np.array([0.4, 0.005, 1e-4])}
    described = box_on_table(material("/mine", combine="min"))
    shapes = [replace(shape, overrides=rough) for shape in described.geoms]
    sim = engine(replace(described, geoms=tuple(shapes)))
    sim.set_surfaces([0.1, 0.1, 0.0], geoms=[index(sim)])
    assert sim.param("pair_friction")[0, 0, 0] == pytest.approx(0.1)


ORDER = ("average", "min", "multiply", "max")
SURFACES = tuple(product((None, "average", "max"), (None, 0, 1), (1, 2)))
"""How the friction of a material combines, priority in the dialect, and type bits, of shapes."""


def combines_otherwise(a, b) -> bool:
    """Whether two of `SURFACES` meet and combine by another rule than the engine's own."""
    native = "max" if (a[1] or 0) == (b[1] or 0) else "of the stronger"
    named, dialect = a[0] or b[0], a[1] is not None or b[1] is not None
    stronger = max(a[0] or "average", b[0] or "average", key=ORDER.index)
    mode = native if dialect and not named else stronger
    return mode != native and bool(a[2] & b[2])


def of_all_surfaces():
    """A free body for each of `SURFACES`, and one that stands still for each."""
    materials = [material(f"/m{i}", combine=mode) for i, (mode, *_) in enumerate(SURFACES)]
    bodies, shapes = [], []
    for i, (_, priority, bits) in enumerate(SURFACES * 2):
        overrides = {"contype": bits, "conaffinity": bits}
        overrides |= {} if priority is None else {"priority": priority}
        bodies.append(body(f"/b{i}", pose((3.0 * i, 0, 1)), fixed=i >= len(SURFACES)))
        shapes.append(geom(f"/b{i}/s", i, material=i % len(SURFACES), overrides=overrides))
    return scene(bodies, (), shapes, materials=materials)


def test_every_two_that_combine_otherwise_have_a_pair(monkeypatch):
    monkeypatch.setattr("usdsim.engine.surfaces.varied.FEW_PAIRS", 10_000)
    compiled = compile_scene(of_all_surfaces())
    model, owners = compiled.mj, [int(path[2:]) for path in compiled.names.paths("body")[1:]]
    found = {
        tuple(sorted(owners[model.geom_bodyid[g] - 1] for g in ends))
        for ends in zip(model.pair_geom1, model.pair_geom2, strict=True)
    }
    free, kinds = len(SURFACES), SURFACES * 2
    assert found == {
        (i, j) for i, j in combinations(range(2 * free), 2)
        if i < free and combines_otherwise(kinds[i], kinds[j])
    }  # fmt: skip


def test_kinds_of_surfaces_decide_for_all_pairs_of_shapes(monkeypatch):
    asked = []
    collides = CollisionFilter.collides
    monkeypatch.setattr(
        CollisionFilter, "collides", lambda self, *pair: asked.append(pair) or collides(self, *pair)
    )
    shapes = [geom(f"/b{i}/s", i, overrides={"priority": i % 3}) for i in range(60)]
    described = scene([body(f"/b{i}", pose((i, 0, 1))) for i in range(60)], (), shapes)
    assert compile_scene(described).mj.npair == 0
    assert not asked


@pytest.mark.parametrize("count", [6, 40])
def test_what_filters_keep_apart_needs_no_pair(monkeypatch, count):
    """Every second body ignores the next one; there are more kinds of masks than bits, or less."""
    monkeypatch.setattr("usdsim.engine.surfaces.varied.FEW_PAIRS", 10_000)
    bodies = [body(f"/b{i}", pose((3.0 * i, 0, 1))) for i in range(count)]
    shapes = [geom(f"/b{i}/s", i) for i in range(count)]
    # Other shapes keep the filters from becoming filters of bodies.
    others = [geom(f"/b{i}/t", i, overrides={"contype": 0, "conaffinity": 0}) for i in range(count)]
    apart = frozenset((i, i + 1) for i in range(0, count, 2))
    model = compile_scene(scene(bodies, (), [*shapes, *others], geom_filters=apart)).mj
    found = zip(
        model.geom_bodyid[model.pair_geom1], model.geom_bodyid[model.pair_geom2], strict=True
    )
    pairs = {tuple(sorted((int(a) - 1, int(b) - 1))) for a, b in found}
    assert pairs == set(combinations(range(count), 2)) - apart


def test_in_large_scenes_only_what_asks_pays(large):
    free = box_on_table()
    assert compile_scene(replace(free, varied_surfaces=frozenset())).mj.npair == 0
    assert compile_scene(free).mj.npair == 1
    assert compile_scene(replace(free, varied_surfaces=frozenset({"/nothing"}))).mj.npair == 0


def arm(**values):
    """Three links side by side in one articulation, above a table."""
    bodies = [
        body(f"/l{i}", pose((0.3 * i, 0, 1)), parent=i - 1, joints=(i,),
             rest_pose=pose((0.3 if i else 0.0, 0, 0 if i else 1)))
        for i in range(3)
    ]  # fmt: skip
    joints = [
        joint(dof(f"/j{i}"), path=f"/j{i}", parent=i - 1, child=i) for i in range(3)
    ]  # fmt: skip
    shapes = [geom(f"/l{i}/s", i) for i in range(3)]
    robot = ArticulationDescription(path="/l0", root=0, bodies=(0, 1, 2), joints=(0, 1, 2))
    return scene(
        bodies, joints, [ground(), *shapes], articulations=(robot,),
        varied_surfaces=frozenset(shape.path for shape in shapes), **values,
    )  # fmt: skip


def test_many_shapes_of_one_articulation_have_no_pairs(large):
    model = compile_scene(arm()).mj
    table = compile_scene(arm()).names.index("geom", "/ground")
    assert model.npair == 3
    assert (np.minimum(model.pair_geom1, model.pair_geom2) == table).all()
    assert "the larger one of two acts" in compile_scene(arm()).notes[0][1]


def test_shapes_of_one_articulation_rebound_as_others_do():
    bodies = [body("/base", pose((0, 0, -SIZE)), fixed=True), body("/ball", pose((0, 0, 1.1)))]
    bodies[1] = replace(bodies[1], joints=(0,))
    rail = joint(dof(kind="slide", axis=np.array([0.0, 0.0, 1.0])), kind="prismatic", child=1)
    shapes = [geom("/base/s", 0, "box", (1.0, 1.0, SIZE)), geom("/ball/s", 1)]
    robot = ArticulationDescription(path="/base", root=0, bodies=(0, 1), joints=(0,))
    free = frozenset(shape.path for shape in shapes)
    sim = engine(scene(bodies, [rail], shapes, articulations=(robot,), varied_surfaces=free), 3)
    assert sim.compiled.mj.npair == 1
    own = np.array([[0.8, 0.8], [0.8, 0.4], [0.0, 0.0]])
    ids = [index(sim, shape.path) for shape in shapes]
    sim.set_surfaces(np.stack([0.5 + 0 * own, 0.5 + 0 * own, own], -1), geoms=ids)
    speeds = []
    for _ in range(420):
        sim.step()
        speeds.append(sim.read("qvel")[:, 0].copy())
    found = np.max(speeds, axis=0) / -np.min(speeds, axis=0)
    assert found[:2] == pytest.approx([0.8, 0.6], abs=0.02)
    assert found[2] < 0.15


def test_pairs_and_excludes_of_the_stage_come_first(large):
    pair = GenericDescription(
        path="/pair", kind="pair", overrides={"geomname1": "/l0/s", "geomname2": "/ground"}
    )
    apart = GenericDescription(
        path="/apart", kind="exclude", overrides={"bodyname1": "/l1", "bodyname2": "/box"}
    )
    other = arm(elements=(pair,))
    assert compile_scene(other).mj.npair == 3
    boxed = replace(
        other,
        bodies=(*other.bodies, body("/box", pose((0, 0, 3)))),
        geoms=(*other.geoms, geom("/box/s", 3)),
    )
    with_box = compile_scene(boxed).mj.npair
    assert with_box == 6
    assert compile_scene(replace(boxed, elements=(pair, apart))).mj.npair == with_box - 1


def test_masks_of_the_dialect_keep_shapes_apart():
    free = box_on_table()
    shapes = [replace(shape, overrides={"contype": 1, "conaffinity": 0}) for shape in free.geoms]
    assert compile_scene(replace(free, geoms=tuple(shapes))).mj.npair == 0


def test_more_pairs_than_sensible_are_refused_when_written(monkeypatch, large):
    monkeypatch.setattr("usdsim.engine.surfaces.pairs.most_pairs", lambda *_: 0)
    sim = engine(box_on_table())
    assert sim.compiled.mj.npair == 0
    assert "vary surfaces" in sim.compiled.notes[0][1]
    with pytest.raises(UnsupportedError, match=BOX):
        sim.set_surfaces([0.6, 0.6, 0.0], geoms=[index(sim)])


def on_slopes(other=1.0, combine="multiply", **values):
    """A box on a tilted plane of another material, with a wall far away, as parts of a terrain."""
    free = box_on_table(
        material("/mine", other),
        material("/table", other, combine=combine),
        np.radians(35),
        **values,
    )
    wall = geom("/wall", -1, "box", (1.0, 1.0, 1.0), material=1)
    return replace(free, geoms=(*free.geoms, replace(wall, pose=pose((0, 50, 0)))))


def test_terrains_of_many_shapes_need_no_pairs_where_frictions_multiply(monkeypatch, large):
    """With a friction of 1, contact has that of the other surface, which then has the say."""
    monkeypatch.setattr("usdsim.engine.surfaces.pairs.most_pairs", lambda *_: 1)
    sim = engine(on_slopes(), 3)
    assert sim.compiled.mj.npair == 0 and not sim.compiled.notes
    own, steps = (0.2, 0.4, 1.5), 250
    sim.set_surfaces([[[mu, mu, 0.0]] for mu in own], geoms=[index(sim)])
    sim.step(steps)
    t, tilt = steps * 0.002, np.radians(35)
    for mu, distance in zip(own, sim.read("qpos")[:, 0], strict=True):
        gain = max(0.0, np.sin(tilt) - mu * np.cos(tilt))
        assert distance == pytest.approx(0.5 * G * gain * t**2, rel=0.02, abs=2e-3)
    with pytest.raises(UnsupportedError, match="/ground"):
        sim.set_surfaces([0.6, 0.6, 0.0], geoms=[index(sim, "/ground")])


@pytest.mark.parametrize(("other", "combine"), [(0.9, "multiply"), (1.0, "average")])
def test_terrains_that_mean_another_friction_are_refused(monkeypatch, large, other, combine):
    monkeypatch.setattr("usdsim.engine.surfaces.pairs.most_pairs", lambda *_: 1)
    sim = engine(on_slopes(other, combine))
    assert not sim.compiled.mj.geom_priority.any()
    with pytest.raises(UnsupportedError, match=BOX):
        sim.set_surfaces([0.6, 0.6, 0.0], geoms=[index(sim)])


def test_shapes_of_other_modes_keep_their_pairs_beside_a_terrain(monkeypatch, large):
    """On a block whose larger friction acts, a box without any is held."""
    monkeypatch.setattr("usdsim.engine.surfaces.pairs.most_pairs", lambda *_: 1)
    free = on_slopes()
    grip = material("/grip", 1.5, combine="max")
    block = geom("/block", -1, "box", (1.0, 1.0, 0.5), material=2)
    sim = engine(
        replace(
            free,
            materials=(*free.materials, grip),
            geoms=(*free.geoms, replace(block, pose=pose((0, 0, -0.5 + 1e-3)))),
        )
    )
    assert sim.compiled.mj.npair == 1
    sim.set_surfaces([0.1, 0.1, 0.0], geoms=[index(sim)])
    sim.step(250)
    assert abs(sim.read("qpos")[0, 0]) < 2e-3


def test_a_static_shape_may_vary_as_well():
    sim = engine(box_on_table(tilt=np.arctan(0.7), varied=("/ground",)), 2)
    sim.set_surfaces([[[1.5, 1.5, 0.0]], [[0.1, 0.1, 0.0]]], geoms=[index(sim, "/ground")])
    sim.step(100)
    held, slid = sim.read("qpos") @ np.append(X, np.zeros(4))
    assert abs(held) < 1e-3 and slid > 0.05
