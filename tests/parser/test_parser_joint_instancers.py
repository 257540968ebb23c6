"""Copies of PhysX's joint instancers are joints like any others."""

import numpy as np
import pytest
from parser_builders import joint, new_stage, parse, quat
from pxr import Gf, Sdf, Vt
from test_parser_instancers import instancer, rock

from usdsim.core.errors import ParseError
from usdsim.parser import parse_stage

HALF = 0.5**0.5


def chain(count=3):
    """Rocks of a point instancer in a row, one metre apart."""
    stage = new_stage()
    instancer(stage, "/rocks", [(i, 0, 0) for i in range(count)], ["/rocks/rock"])
    rock(stage, "/rocks/rock")
    return stage


def joint_instancer(stage, bodies0, bodies1, prototype="/hinges/hinge", count=2, **arrays):
    """A joint instancer; arrays by attribute name without ``physics:``, quaternions xyzw."""
    prim = stage.DefinePrim("/hinges", "PhysxPhysicsJointInstancer")
    ends = {"prototypes": [prototype], "body0s": bodies0, "body1s": bodies1}
    for name, targets in ends.items():
        prim.CreateRelationship(f"physics:{name}").SetTargets([Sdf.Path(t) for t in targets])
    for name, values in {"protoIndices": [0] * count, **arrays}.items():
        kind, value = Sdf.ValueTypeNames.IntArray, Vt.IntArray
        if name.startswith("localPos"):
            kind, value = Sdf.ValueTypeNames.Point3fArray, Vt.Vec3fArray
            values = [Gf.Vec3f(*map(float, v)) for v in values]
        elif name.startswith("localRot"):
            kind, value = Sdf.ValueTypeNames.QuathArray, Vt.QuathArray
            values = [quat(v, Gf.Quath) for v in values]
        prim.CreateAttribute(f"physics:{name}", kind).Set(value(values))


def test_each_copy_joins_the_copies_of_a_point_instancer_that_its_indices_name():
    stage = chain()
    joint_instancer(
        stage, ["/rocks"], ["/rocks"], body0Indices=[0, 1], body1Indices=[1, 2],
        localPos0s=[(0.5, 0, 0)] * 2, localPos1s=[(-0.5, 0, 0)] * 2,
    )  # fmt: skip
    joint(stage, "/hinges/hinge", axis="Y")
    copies = parse_stage(stage, strict=True).scene
    explicit = chain()
    for i in range(2):
        joint(
            explicit, f"/hinges/instance_{i}", axis="Y", localPos0=(0.5, 0, 0),
            localPos1=(-0.5, 0, 0), body0=f"/rocks/instance_{i}", body1=f"/rocks/instance_{i + 1}",
        )  # fmt: skip
    wanted = parse(explicit)
    assert [j.path for j in copies.joints] == [j.path for j in wanted.joints]
    assert repr(copies.joints) == repr(wanted.joints)


def test_frames_of_copies_move_those_of_the_prototype():
    stage = chain()
    turn = (0, 0, HALF, HALF)
    joint_instancer(
        stage, ["/rocks"], [], count=1, body0Indices=[2], localPos0s=[(0, 2, 0)],
        localRot0s=[turn], localPos1s=[(2, 3, 0)], localRot1s=[turn],
    )  # fmt: skip
    joint(stage, "/hinges/hinge", axis="X", localPos0=(1, 0, 0))
    explicit = chain()
    joint(
        explicit, "/hinges/instance_0", axis="X", body0="/rocks/instance_2", localPos0=(0, 3, 0),
        localRot0=turn, localPos1=(2, 3, 0), localRot1=turn,
    )  # fmt: skip
    (found,), (wanted,) = parse(stage).joints, parse(explicit).joints
    for side in ("parent_frame", "child_frame"):
        for part in ("pos", "quat"):
            at, expected = (getattr(getattr(j, side), part) for j in (found, wanted))
            np.testing.assert_allclose(at, expected, atol=1e-3, err_msg=side)


def test_bodies_that_are_named_themselves_are_taken_in_order_and_prototypes_may_lie_elsewhere():
    stage = new_stage()
    for name in "abc":
        rock(stage, f"/{name}")
    joint_instancer(stage, ["/a", "/b"], ["/b", "/c"], prototype="/hinge")
    joint(stage, "/hinge", "Fixed")
    found = parse_stage(stage, strict=True).scene
    explicit = new_stage()
    for name in "abc":
        rock(explicit, f"/{name}")
    joint(explicit, "/hinges/instance_0", "Fixed", body0="/a", body1="/b")
    joint(explicit, "/hinges/instance_1", "Fixed", body0="/b", body1="/c")
    wanted = parse(explicit)
    assert repr((found.bodies, found.joints)) == repr((wanted.bodies, wanted.joints))


@pytest.mark.parametrize(
    ("arrays", "told"),
    [
        ({"body0Indices": [0, 7], "body1Indices": [1, 2]}, "0 to 2"),
        ({"body0Indices": [0, 1], "body1Indices": [1]}, "one per joint"),
        ({"body0Indices": [0, 1], "body1Indices": [1, 2], "protoIndices": [0, 1]}, "0 to 0"),
    ],
)
def test_arrays_that_do_not_fit_are_told(arrays, told):
    stage = chain()
    joint_instancer(stage, ["/rocks"], ["/rocks"], **arrays)
    joint(stage, "/hinges/hinge")
    with pytest.raises(ParseError, match=told):
        parse_stage(stage)
