"""Descriptions of real robots act: a replaced field of any element shows in the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from corpus_files import corpus_models
from test_parser_descriptions_act import silent

from usdsim.converters.conversion import convert_file
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage

ROBOTS = [(kind, path) for kind in ("mjcf", "urdf") for path in corpus_models(kind)]
SAMPLE = [(kind, path) for kind, path in ROBOTS if path.stem in ("ant", "double_pendulum_simple")]


def silent_fields(kind, path, most):
    scene = parse_stage(convert_file(path).stage, exact=kind == "mjcf").scene
    return silent(scene, kind, most)


@pytest.mark.corpus
@pytest.mark.parametrize(("kind", "path"), SAMPLE, ids=[path.stem for _, path in SAMPLE])
def test_fields_of_some_real_robots_show_in_the_model(kind, path):
    assert silent_fields(kind, path, 1) == {}


@pytest.mark.nightly
@pytest.mark.corpus
@pytest.mark.parametrize(("kind", "path"), ROBOTS, ids=[path.stem for _, path in ROBOTS])
def test_fields_of_every_real_robot_show_in_the_model(kind, path):
    assert silent_fields(kind, path, 4) == {}


def changed(scene, rng):
    """The scene with other numbers in every joint of a tree and every body."""

    # The engine refuses damping of the vertices of soft bodies.
    soft = any(element.kind == "flex" for element in scene.elements)

    def dof(old):
        names = [name for name in LOSSES if not (soft and name == "damping")]
        more = {name: getattr(old, name) + rng.uniform(0.1, 1.0) for name in names}
        places = {"anchor": old.anchor + rng.uniform(-0.1, 0.1, 3)} if old.kind != "free" else {}
        if old.kind in ("hinge", "slide"):
            turned = old.axis + rng.uniform(-0.3, 0.3, 3)
            places["axis"] = turned / np.linalg.norm(turned)
            places |= {"lower": -rng.uniform(1.0, 2.0), "upper": rng.uniform(1.0, 2.0)}
        return replace(old, **more, **places)

    def body(old):
        factor = rng.uniform(1.0, 2.0)
        moments, com = factor * old.inertia, old.com + rng.uniform(-0.1, 0.1, 3)
        return replace(old, mass=factor * old.mass, inertia=moments, com=com)

    joints = (replace(joint, dofs=tuple(map(dof, joint.dofs))) for joint in scene.joints)
    return replace(scene, joints=tuple(joints), bodies=tuple(map(body, scene.bodies)))


LOSSES = {"armature": "dof_armature", "damping": "dof_damping", "friction": "dof_frictionloss"}


def differing(scene):
    """Elements of which the compiled model has another number than the description."""
    compiled = compile_scene(scene)
    model, found = compiled.mj, []

    def check(path, what, values, expected):
        if not np.allclose(values, expected, rtol=1e-12, atol=1e-15):
            found.append((path, what, values, expected))

    for body in scene.bodies:
        index = compiled.names.find("body", body.path)
        check(body.path, "mass", model.body_mass[index], body.mass)
        check(body.path, "com", model.body_ipos[index], body.com)
        check(body.path, "inertia", model.body_inertia[index], body.inertia)
    for dof in (dof for joint in scene.joints if joint.in_tree for dof in joint.dofs):
        index = compiled.names.find("joint", dof.path)
        start = model.jnt_dofadr[index]
        for name, array in LOSSES.items():
            check(dof.path, name, getattr(model, array)[start], getattr(dof, name))
        if dof.kind != "free":
            check(dof.path, "anchor", model.jnt_pos[index], dof.anchor)
        if dof.kind in ("hinge", "slide"):
            check(dof.path, "axis", model.jnt_axis[index], dof.axis)
            check(dof.path, "range", model.jnt_range[index], (dof.lower, dof.upper))
    return found


@pytest.mark.corpus
@pytest.mark.parametrize(("kind", "path"), SAMPLE, ids=[path.stem for _, path in SAMPLE])
def test_the_model_has_the_numbers_of_its_description(kind, path):
    scene = parse_stage(convert_file(path).stage).scene
    assert differing(changed(scene, np.random.default_rng(0))) == []


@pytest.mark.nightly
@pytest.mark.corpus
@pytest.mark.parametrize(("kind", "path"), ROBOTS, ids=[path.stem for _, path in ROBOTS])
def test_every_model_has_the_numbers_of_its_description(kind, path):
    scene = parse_stage(convert_file(path).stage).scene
    assert differing(changed(scene, np.random.default_rng(1))) == []
