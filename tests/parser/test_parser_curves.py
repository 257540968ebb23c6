"""Curves that deform: forms, materials, both dialects, and what is refused."""

import numpy as np
import pytest
from parser_builders import new_stage
from pxr import UsdGeom
from soft_stages import KINDS, apply, attachment, author, bind, drawn, floats, material, vectors

from usdsim.core.errors import ParseError
from usdsim.parser import parse_stage

POINTS = np.array([[0.0, 0, 0], [0.5, 0, 0], [1, 0, 0], [0, 1, 0], [0.5, 1, 0], [1, 1, 0]])


def curves(stage, counts=(6,), wrap="nonperiodic", big="OmniPhysics", kind="linear", widths=()):
    """One prim that is body and curves, with its collision schema."""
    prim = stage.DefinePrim("/World/Cable", "BasisCurves")
    apply(prim, f"{big}DeformableBodyAPI", f"{big}CurvesDeformableSimAPI", "PhysicsCollisionAPI")
    values = {
        "points": vectors(POINTS),
        "curveVertexCounts": list(counts),
        "wrap": wrap,
        "type": kind,
    }
    for name, value in values.items():
        prim.GetAttribute(name).Set(value)
    if widths:
        prim.GetAttribute("widths").Set(widths)
    return prim


def only(stage):
    (found,) = parse_stage(stage).scene.deformables
    return found


@pytest.mark.parametrize(
    ("counts", "wrap", "ends"),
    [
        ((6,), "nonperiodic", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
        ((2, 4), "nonperiodic", [(0, 1), (2, 3), (3, 4), (4, 5)]),
        ((3, 3), "periodic", [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]),
        ((6,), "pinned", [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]),
    ],
)
def test_points_next_to_each_other_are_joined(counts, wrap, ends):
    stage = new_stage()
    curves(stage, counts, wrap)
    body = only(stage)
    assert body.kind == "curves" and body.collides
    assert [tuple(row) for row in body.elements.tolist()] == ends
    np.testing.assert_allclose(body.points, POINTS)


@pytest.mark.parametrize(("meters", "widths"), [(1.0, [0.02] * 6), (0.01, [0.01, 0.03])])
def test_widths_are_the_thickness_unless_the_material_has_one(meters, widths):
    stage = new_stage()
    UsdGeom.SetStageMetersPerUnit(stage, meters)
    prim = curves(stage, widths=widths)
    assert only(stage).thickness == pytest.approx(0.02 * meters)
    bound = apply(material(stage, youngsModulus=1e6), "OmniPhysicsCurvesDeformableMaterialAPI")
    floats(bound, omniphysics__curveThickness=0.04, omniphysics__density=500.0)
    bind(prim, bound)
    body = only(stage)
    assert body.thickness == pytest.approx(0.04 * meters)
    length = np.linalg.norm(np.diff(POINTS, axis=0), axis=1).sum() * meters
    volume = length * np.pi * (0.02 * meters) ** 2
    assert body.mass == pytest.approx(500.0 / meters**3 * volume, rel=1e-5)


def test_the_draft_has_stiffnesses_of_the_section():
    stage = new_stage()
    prim = curves(stage, big="Physics")
    bound = apply(material(stage), "PhysicsCurvesDeformableMaterialAPI")
    floats(
        bound, physics__youngsModulus=1e6, physics__curvesThickness=0.02,
        physics__curvesBendStiffness=0.05, physics__curvesTwistStiffness=0.03,
    )  # fmt: skip
    bind(prim, bound)
    body = only(stage)
    area = np.pi * 0.01**4 / 4.0
    assert body.thickness == pytest.approx(0.02) and body.youngs_modulus == pytest.approx(1e6)
    assert body.bend_modulus == pytest.approx(0.05 / area, rel=1e-5)
    assert body.twist_modulus == pytest.approx(0.03 / (2.0 * area), rel=1e-5)


def test_a_rest_shape_and_what_holds_it_are_read():
    stage = new_stage()
    prim = curves(stage)
    rest = np.stack([np.arange(6.0), np.zeros(6), np.zeros(6)], axis=1)
    author(prim, "omniphysics:restShapePoints", KINDS.Point3fArray, vectors(rest))
    hold = attachment(
        stage, "/World/hold", "OmniPhysicsVtxXformAttachment",
        omniphysics__src0="/World/Cable", omniphysics__src1="/World",
    )  # fmt: skip
    author(hold, "omniphysics:vtxIndicesSrc0", KINDS.IntArray, [0, 5])
    author(hold, "omniphysics:localPositionsSrc1", KINDS.Point3fArray, vectors(POINTS[[0, 5]]))
    body = only(stage)
    np.testing.assert_allclose(body.rest_points, rest)
    assert body.pins[0].vertices.tolist() == [0, 5]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "cubic"}, "only linear curves deform"),
        ({"counts": (5,)}, "curveVertexCounts \\[5\\] for 6 points"),
        ({"counts": (4, 2), "wrap": "periodic"}, "at least 3 for each curve"),
    ],
)
def test_other_curves_are_refused(change, message):
    stage = new_stage()
    curves(stage, **change)
    with pytest.raises(ParseError, match=message):
        parse_stage(stage)


def test_they_are_no_unknown_colliders(capfd):
    stage = new_stage()
    curves(stage)
    parse_stage(stage)
    assert "unknown" not in capfd.readouterr().err


def test_meshes_do_not_follow_curves():
    stage = new_stage()
    curves(stage)
    drawn(stage, "/World/Cable/skin")
    report = parse_stage(stage).report
    assert any("does not follow the curves" in finding.message for finding in report.findings)
