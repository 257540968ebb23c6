import pytest
from parser_builders import body, joint, new_stage, shape
from pxr import Sdf, UsdPhysics

from usdsim.core.errors import ParseError
from usdsim.parser import Report, parse_stage

FLOAT = Sdf.ValueTypeNames.Float


def stage_with(**attributes):
    stage = new_stage()
    UsdPhysics.Scene.Define(stage, "/scene")
    prim = body(stage, "/b")
    for name, value in attributes.items():
        prim.CreateAttribute(name.replace("__", ":"), FLOAT).Set(value)
    return stage


def test_a_plain_stage_has_nothing_to_report():
    report = parse_stage(stage_with(), strict=True).report
    assert report.findings == []
    assert report.read["/b"] >= {"physics:mass"}


@pytest.mark.parametrize(
    "name", ["physics__wobble", "physxRigidBody__wobble", "newton__wobble", "mjc__wobble"]
)
def test_what_nothing_reads_is_unsupported(name):
    stage = stage_with(**{name: 3.0})
    (finding,) = parse_stage(stage).report.by_code("unsupported")
    assert (finding.path, finding.attribute) == ("/b", name.replace("__", ":"))
    with pytest.raises(ParseError) as caught:
        parse_stage(stage, strict=True)
    assert [f.attribute for f in caught.value.findings] == [name.replace("__", ":")]


def test_other_namespaces_are_nobodys_business():
    assert not parse_stage(stage_with(userProperties__mass=3.0)).report.findings


def test_drives_without_their_api_say_so():
    stage = stage_with()
    prim = joint(stage, "/j", "Revolute", None, "/b")
    prim.CreateAttribute("drive:angular:physics:stiffness", FLOAT).Set(3.0)
    (finding,) = parse_stage(stage).report.by_code("unsupported")
    assert "PhysicsDriveAPI:angular is not applied" in finding.message


def test_settings_of_another_engines_solver_do_not_fail_strict_mode():
    stage = stage_with(physxRigidBody__stabilizationThreshold=0.1)
    report = parse_stage(stage, strict=True).report
    assert [f.code for f in report.findings] == ["foreign-setting"]


@pytest.mark.parametrize(
    ("name", "kind", "value"),
    [
        ("physxCookedData:triangleMesh:buffer", "UCharArray", [1, 2]),
        ("physics:JointEquivalentInertia", "Float", 0.02),
        ("physics:tensor:jointIndex", "Int", 1),
    ],
)
def test_notes_of_other_tools_do_not_fail_strict_mode(name, kind, value):
    """What they derived from the stage and keep on it changes nothing there either."""
    stage = stage_with()
    prim = stage.GetPrimAtPath("/b")
    prim.CreateAttribute(name, getattr(Sdf.ValueTypeNames, kind)).Set(value)
    report = parse_stage(stage, strict=True).report
    assert [f.code for f in report.findings] == ["foreign-setting"]


def test_defaults_are_noted():
    stage = new_stage()
    body(stage, "/b", mass=None)
    shape(stage, "/b/c")
    report = parse_stage(stage).report
    assert report.defaulted["/b/c"]["physics:density"] == 1000.0
    assert report.defaulted["/"]["physics:gravityMagnitude"] == 9.81


def test_a_report_lists_errors_before_warnings():
    report = Report()
    report.warning("odd", "/w", "is odd", attribute="a")
    report.error("bad", "/e", "is bad")
    with pytest.raises(ParseError) as caught:
        report.raise_if(strict=True, source="stage.usda")
    assert str(caught.value).splitlines() == [
        "stage.usda has 2 problems:",
        "  /e: is bad",
        "  /w.a: is odd",
    ]


def test_a_report_prints_what_it_has_to_say():
    report = Report()
    report.mark_read("/a", ("physics:mass", "physics:density"))
    report.default("/", "gravity", 9.81)
    assert str(report) == "no errors or warnings; 2 properties read, 1 values assumed"
    report.warning("unsupported", "/a", "is odd", attribute="physics:odd")
    assert str(report).splitlines()[1:] == ["  warning: /a.physics:odd: is odd [unsupported]"]
