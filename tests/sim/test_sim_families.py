"""Environments that differ in numbers alone become what reading each of them would give."""

from dataclasses import replace

import numpy as np
import pytest
from environments_stage import author, environments
from hypothesis import given, settings
from hypothesis import strategies as st
from pxr import Sdf, UsdPhysics, UsdShade

from usdsim.core.errors import ParseError
from usdsim.sim.environments import worlds as worlds_module
from usdsim.sim.environments.differences import Comparison, is_parameter
from usdsim.sim.environments.finding import find_environments
from usdsim.sim.environments.laws import examples, find_law
from usdsim.sim.environments.opinions import LOOSE, loose_opinions
from usdsim.sim.environments.worlds import build_worlds

TYPES = Sdf.ValueTypeNames
COUNT = 40


def edited(changes, count=COUNT, **options):
    """Environments with a value each of some attributes: prim, name, type, values."""
    stage = environments(count, **options)
    with Sdf.ChangeBlock():
        for i in range(count):
            for prim, name, kind, values in changes:
                author(stage, f"/World/envs/env_{i}/{prim}", name, kind, values[i])
    return stage


def read_one_by_one(stage, monkeypatch, **options):
    with monkeypatch.context() as patched:
        patched.setattr(worlds_module, "read_family", lambda *_: None)
        return build_worlds(stage, **options)


def assert_same(ours, theirs):
    """All parameters, starts, limits and surfaces of two engines, and what was reported."""
    a, b = ours.engine, theirs.engine
    for field in ("qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat"):
        np.testing.assert_allclose(a.state(field), b.state(field), rtol=1e-9, atol=1e-11)
    for field in Comparison(b.compiled, "/World/envs/env_0").numbers(b.compiled):
        if not is_parameter(field):
            continue
        mine, other = a.param(field), b.param(field)
        np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12, err_msg=field)
    np.testing.assert_allclose(a.velocity_limits, b.velocity_limits, rtol=1e-12)
    np.testing.assert_allclose(a.surfaces, b.surfaces, rtol=1e-12)
    said = [sorted(str(f) for f in worlds.report.findings) for worlds in (ours, theirs)]
    assert said[0] == said[1]


def counted(monkeypatch):
    """How many environments are read from now on."""
    read, reader = [], worlds_module.EnvironmentReader
    original = reader.read

    def spy(self, index, values=()):
        read.append(index)
        return original(self, index, dict(values))

    monkeypatch.setattr(reader, "read", spy)
    return read


HINGE = "arm/hinge"
DRIVE = "drive:angular:physics"
KINDS = {
    "mass": ("ball", "physics:mass", TYPES.Float, 0.1, 9.0),
    "link mass": ("arm/link", "physics:mass", TYPES.Float, 0.1, 9.0),
    "radius": ("ball", "radius", TYPES.Double, 0.02, 0.4),
    "place": ("ball", "xformOp:translate", TYPES.Double3, -3.0, 3.0),
    "static place": ("shelf", "xformOp:translate", TYPES.Double3, -3.0, 3.0),
    "stiffness": (HINGE, f"{DRIVE}:stiffness", TYPES.Float, 0.1, 2.0),
    "damping": (HINGE, f"{DRIVE}:damping", TYPES.Float, 0.01, 0.5),
    "effort": (HINGE, f"{DRIVE}:maxForce", TYPES.Float, 1.0, 90.0),
    "target": (HINGE, f"{DRIVE}:targetPosition", TYPES.Float, -40.0, 40.0),
    "lower": (HINGE, "physics:lowerLimit", TYPES.Float, -90.0, -60.0),
    "upper": (HINGE, "physics:upperLimit", TYPES.Float, 10.0, 90.0),
    "limits the start is beyond": (HINGE, "physics:upperLimit", TYPES.Float, -50.0, -10.0),
    "friction": (HINGE, "newton:friction", TYPES.Float, 0.1, 2.0),
    "armature": (HINGE, "newton:armature", TYPES.Float, 0.01, 0.2),
    "speed": (HINGE, "physxJoint:maxJointVelocity", TYPES.Float, 10.0, 200.0),
    "centre": ("arm/link", "physics:centerOfMass", TYPES.Point3f, -0.04, 0.04),
    "velocity": ("ball", "physics:velocity", TYPES.Vector3f, -3.0, 3.0),
}
LAWLESS = {"centre", "limits the start is beyond"}
"""What other numbers may follow from in other ways, so that all are read."""


def drawn(kind, count, seed):
    _, _, usd, low, high = KINDS[kind]
    shape = (count, 3) if usd in (TYPES.Double3, TYPES.Point3f, TYPES.Vector3f) else (count,)
    values = np.random.default_rng(seed).uniform(low, high, shape)
    return [tuple(v) for v in values.tolist()] if values.ndim == 2 else values.tolist()


@pytest.mark.parametrize("copy", [False, True], ids=["refer", "copy"])
@pytest.mark.parametrize("kind", KINDS)
def test_families_are_read_from_examples(kind, copy, monkeypatch):
    prim, name, usd, *_ = KINDS[kind]
    stage = edited([(prim, name, usd, drawn(kind, COUNT, 0))], turn=0.1, copy=copy)
    slow = read_one_by_one(stage, monkeypatch)
    read = counted(monkeypatch)
    fast = build_worlds(stage)
    if kind not in LAWLESS:
        assert len(read) < COUNT / 2
    assert_same(fast, slow)


@settings(max_examples=12)
@given(
    kinds=st.sets(st.sampled_from(sorted(set(KINDS) - {"upper"})), min_size=1, max_size=3),
    seed=st.integers(0, 1000),
    odd=st.integers(0, COUNT - 1),
)
def test_any_edits_are_as_if_read_one_by_one(kinds, seed, odd):
    """Some environments have values that mean something else, or say nothing of their own."""
    names = {KINDS[kind][1]: kind for kind in sorted(kinds)}
    changes = [
        (*KINDS[kind][:3], drawn(kind, COUNT, seed + k)) for k, kind in enumerate(names.values())
    ]
    stage = edited(changes)
    special = f"/World/envs/env_{odd}/{HINGE}"
    author(stage, special, f"{DRIVE}:maxForce", TYPES.Float, float("inf"))
    with pytest.MonkeyPatch.context() as patch:
        slow = read_one_by_one(stage, patch)
    assert_same(build_worlds(stage), slow)


def test_friction_of_materials_of_their_own(monkeypatch):
    stage = environments(COUNT)
    for i in range(COUNT):
        path = f"/World/envs/env_{i}/surface"
        material = UsdShade.Material.Define(stage, path)
        surface = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        surface.CreateDynamicFrictionAttr(0.2 + 0.01 * i)
        surface.CreateStaticFrictionAttr(0.2 + 0.01 * i)
        ball = stage.GetPrimAtPath(f"/World/envs/env_{i}/ball")
        UsdShade.MaterialBindingAPI.Apply(ball).Bind(
            material, UsdShade.Tokens.weakerThanDescendants, "physics"
        )
    assert_same(build_worlds(stage), read_one_by_one(stage, monkeypatch))


def test_thresholds_between_environments_are_met(monkeypatch):
    """Gains beyond what the time step bears change the integrator: no law holds across that."""
    gains = np.linspace(1.0, 1e4, COUNT).tolist()
    stage = edited([(HINGE, f"{DRIVE}:stiffness", TYPES.Float, gains)])
    slow = read_one_by_one(stage, monkeypatch)
    fast = build_worlds(stage)
    assert len(np.unique(slow.engine.param("opt.integrator"))) == 2
    assert_same(fast, slow)


def test_what_prepare_makes_of_values_counts(monkeypatch):
    """A scene may be changed by any rule, also by one that compares values."""
    masses = np.linspace(1.0, 3.0, COUNT).tolist()
    stage = edited([("ball", "physics:mass", TYPES.Float, masses)])

    def prepare(scene):
        bodies = [
            replace(body, mass=min(body.mass, 2.0)) if body.mass > 0.5 else body
            for body in scene.bodies
        ]
        return replace(scene, bodies=tuple(bodies))

    slow = read_one_by_one(stage, monkeypatch, prepare=prepare)
    assert_same(build_worlds(stage, prepare=prepare), slow)


def test_errors_in_a_family_are_those_of_the_environment():
    masses = [1.0 + 0.1 * i for i in range(COUNT)]
    stage = edited([("ball", "physics:mass", TYPES.Float, masses)])
    author(stage, "/World/envs/env_7/ball", "physics:mass", TYPES.Float, -1.0)
    with pytest.raises(ParseError, match="/World/envs/env_7/ball"):
        build_worlds(stage)


def test_only_attributes_are_loose():
    stage = environments(2)
    path = "/World/envs/env_1"
    author(stage, f"{path}/ball", "physics:mass", TYPES.Float, 2.0)
    assert "/ball.physics:mass" in [opinion.path for opinion in loose_opinions(stage, path)]
    stage.GetPrimAtPath(f"{path}/ball").SetCustomDataByKey("radius", 0.5)
    assert LOOSE.search("double radius = 0.5")
    assert loose_opinions(stage, path) is None
    assert find_environments(stage).paths[1] == path


def test_laws_are_products_powers_and_sums():
    rng = np.random.default_rng(1)
    values = np.concatenate([examples(rng.uniform(0.5, 2.0, (30, 4))), rng.uniform(0.5, 2, (4, 4))])
    groups = [[0], [1, 2, 3]]
    other = rng.uniform(0.5, 2.0, (9, 4))
    for law in (
        lambda v: -3.0 * v[:, 0],
        lambda v: 0.1 * v[:, 2] ** 5,
        lambda v: 2.0 + v[:, 0],
        lambda v: 1.0 + v[:, 1:] @ np.array([0.2, -0.3, 0.7]),
    ):
        found = find_law(values, law(values), groups)
        np.testing.assert_allclose(found(other), law(other), rtol=1e-9)
    for none in (
        lambda v: v[:, 0] * v[:, 1],
        lambda v: np.maximum(v[:, 0], v[:, 1]),
        lambda v: np.minimum(v[:, 0], 1.99),
        lambda v: np.sin(v[:, 0]),
        lambda v: np.where(v[:, 0] > 1.0, np.inf, v[:, 0]),
    ):
        assert find_law(values, none(values), groups) is None
