"""Invalid descriptions: what is wrong, where, and what to do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_scenes import X, Y, body, dof, geom, joint, one_joint, pose, scene

from usdsim.converters.mjcf import convert_mjcf
from usdsim.core.errors import CompileError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.parser.description import (
    DriveDescription,
    MaterialDescription,
    MeshDescription,
    MimicDescription,
    SiteDescription,
)
from usdsim.usd.stage import create_stage

NAN = float("nan")


def bodied(**values):
    return scene([body(**values)])


def shaped(**values):
    return scene([body()], (), [geom(**values)])


def jointed(**values):
    return one_joint(dof(**values))


def driven(**values):
    return jointed(drive=DriveDescription(**values))


def made_of(**values):
    material = MaterialDescription(path="/m", **values)
    return scene([body()], (), [geom(material=0)], materials=(material,))


def meshed(points, faces=((0, 1, 2), (1, 2, 3))):
    mesh = MeshDescription(
        path="/mesh", points=np.array(points, float), faces=np.array(faces, np.int32)
    )
    shape = geom("/body/mesh", 0, "mesh", mesh="/mesh")
    return scene([body()], (), [shape], meshes={"/mesh": mesh})


FLAT = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]
SOLID = [*FLAT[:3], (0, 0, 1)]

CASES = [
    (bodied(mass=-1.0), "'/body'", "mass is -1.0", ">= 0"),
    (bodied(mass=NAN), "'/body'", "mass is nan", "physics:mass"),
    (bodied(mass=0.0), "'/body'", "mass and inertia of moving bodies", "physics:mass"),
    (bodied(inertia=np.zeros(3)), "'/body'", "mass and inertia of moving bodies", "mass 1 kg"),
    (bodied(inertia=np.array([1.0, 1.0, 3.0])), "'/body'", "inertia", "[1.0, 1.0, 3.0]"),
    (bodied(inertia=np.array([1.0, -1.0, 1.0])), "'/body'", "-1.0", "physics:diagonalInertia"),
    (bodied(inertia_quat=np.zeros(4)), "'/body'", "principal axes", "non-zero length"),
    (bodied(com=np.array([0, NAN, 0])), "'/body'", "centre of mass", "finite"),
    (bodied(at=pose((np.inf, 0, 0))), "'/body'", "position", "transform"),
    (bodied(rest_pose=replace(pose(), quat=np.zeros(4))), "'/body'", "orientation", "non-zero"),
    (bodied(linear_velocity=NAN * X), "'/body'", "velocity", "finite"),
    (bodied(linear_damping=-1.0), "'/body'", "linear damping is -1.0", ">= 0"),
    (bodied(parent=0), "'/body'", "parent body 0", "come before"),
    (bodied(joints=(3,)), "'/body'", "joint 3", "does not exist"),
    (shaped(size=(0, 0, 0)), "'/body/shape'", "size", "positive"),
    (shaped(size=(-1, 0, 0)), "'/body/shape'", "size", "-1.0"),
    (shaped(size=(NAN, 0, 0)), "'/body/shape'", "size", "nan"),
    (shaped(body=4), "'/body/shape'", "body 4", "1 bodies"),
    (shaped(material=0), "'/body/shape'", "material 0", "does not exist"),
    (shaped(kind="mesh", mesh="/nope"), "'/body/shape'", "mesh '/nope'", "none"),
    (shaped(kind="hfield", mesh="/nope"), "'/body/shape'", "height field '/nope'", "none"),
    (shaped(rest_offset=NAN), "'/body/shape'", "rest offset", "finite"),
    (jointed(axis=np.zeros(3)), "'/joint'", "axis", "non-zero length"),
    (jointed(lower=1.0, upper=0.0), "'/joint'", "lower limit 1", "physics:lowerLimit"),
    (jointed(lower=NAN), "'/joint'", "lower limit is nan", "a number"),
    (jointed(armature=-0.1), "'/joint'", "armature is -0.1", ">= 0"),
    (jointed(friction=-0.1), "'/joint'", "joint friction", ">= 0"),
    (jointed(damping=NAN), "'/joint'", "joint damping", ">= 0"),
    (jointed(velocity_limit=0.0), "'/joint'", "velocity limit", "inf"),
    (jointed(position=NAN), "'/joint'", "initial position", "finite"),
    (driven(stiffness=-1.0), "'/joint'", "drive stiffness", ">= 0"),
    (driven(damping=np.inf), "'/joint'", "drive damping", ">= 0"),
    (driven(max_force=-1.0), "'/joint'", "drive force limit", ">= 0"),
    (driven(target_position=NAN), "'/joint'", "drive target", "finite"),
    (made_of(dynamic_friction=-0.5), "'/m'", "dynamic friction", ">= 0"),
    (made_of(restitution=1.5), "'/m'", "restitution is 1.5", "0 to 1"),
    (made_of(contact_stiffness=NAN), "'/m'", "contact stiffness", ">= 0"),
    (meshed(FLAT), "'/mesh'", "coplanar", "boundingCube"),
    (meshed([p * 1e-20 for p in np.array(SOLID)]), "'/mesh'", "coincide", "Sphere"),
    (bodied(mass=1e-20), "'/body'", "larger than 1e-15", "physics:mass"),
    (meshed(FLAT[:3], [(0, 1, 2)]), "'/mesh'", "(3, 3)", "at least 4 points"),
    (meshed([*SOLID[:3], (0, 0, NAN)]), "'/mesh'", "index 3", "finite"),
    (meshed(SOLID, [(0, 1, 9)]), "'/mesh'", "point 9", "0 to 3"),
    (scene(gravity=np.array([0, 0, NAN])), "Gravity", "nan", "finite"),
    (scene(timestep=0.0), "time step", "0.0", "> 0"),
    (
        scene([body()], (), (), sites=(SiteDescription(path="/s", body=7),)),
        "'/s'",
        "body 7",
        "does not exist",
    ),
    (
        scene([body(joints=(0,))], [joint(dof(), mimic=MimicDescription(joint="/lead"))]),
        "'/joint'",
        "'/lead'",
        "there are: /joint",
    ),
    (
        scene([body(joints=(0,))], [joint(dof(), parent_frame=pose((NAN, 0, 0)))]),
        "'/joint'",
        "frame in body 0",
        "finite",
    ),
]


@pytest.mark.parametrize(("description", "where", "what", "remedy"), CASES)
def test_every_invalid_value_is_named(description, where, what, remedy):
    with pytest.raises(CompileError) as caught:
        compile_scene(description)
    message = str(caught.value)
    assert where in message
    assert what in message
    assert remedy in message
    assert not any(word in message for word in ("mjMINVAL", "colocated", "in geom", "..")), message


def test_all_problems_are_listed_at_once():
    bad = scene([body("/a", mass=-1.0), body("/b", com=NAN * Y)])
    with pytest.raises(CompileError) as caught:
        compile_scene(bad)
    lines = str(caught.value).splitlines()
    assert [line.split(":")[0] for line in lines] == ["'/a'", "'/b'"]


def test_reference_to_nothing_names_what_is_missing():
    from usdsim.engine.compile.context import Build

    with pytest.raises(CompileError, match=r"'/nowhere' is referenced as a site"):
        Build(scene(), False).lookup("/nowhere", "site")


def test_source_names_are_shown_as_paths():
    with pytest.raises(CompileError, match="'/robot/torso'"):
        compile_scene(scene([body("/robot/torso", name="torso", inertia=np.array([1.0, 1, 3]))]))


def test_chains_deeper_than_the_engine_takes():
    """MuJoCo's compiler goes down 1,023 bodies."""
    links = [body("/b0"), *(body(f"/b{i}", parent=i - 1, fixed=True) for i in range(1, 1100))]
    with pytest.raises(CompileError, match="at most 1,023 bodies"):
        compile_scene(scene(links))


def test_an_actuator_is_told_from_the_joint_of_its_name():
    stage = create_stage()
    convert_mjcf(
        "<mujoco><worldbody><body><joint name='q'/><geom size='.1'/></body></worldbody>"
        "<actuator><general name='q' joint='q' dyntype='filter'/></actuator></mujoco>",
        stage,
    )
    (actuator,) = (prim for prim in stage.Traverse() if prim.GetTypeName() == "MjcActuator")
    actuator.GetAttribute("mjc:actDim").Set(2)
    with pytest.raises(CompileError, match=f"'{actuator.GetPath()}'.*mjc:dynType"):
        compile_scene(parse_stage(stage, exact=True).scene, exact=True)
