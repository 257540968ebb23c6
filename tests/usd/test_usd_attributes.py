import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, Vt

from usdsim.core.errors import InvalidValueError, ShapeError, StageError
from usdsim.usd import author, authored, create_stage, define_prim, from_usd, is_authored, to_usd
from usdsim.usd.attributes import numbers

ROUND_TRIPS = [
    ("double", 0.1),
    ("float", 0.5),
    ("half", -1.5),
    ("int", -7),
    ("int64", 2**40),
    ("uint", 2**32 - 1),
    ("uchar", 255),
    ("bool", True),
    ("token", "a"),
    ("string", "é"),
    ("timecode", 2.5),
    ("double2", [0.1, 0.2]),
    ("double3", [0.1, 0.2, 0.3]),
    ("float3", [1, 2, 3]),
    ("half3", [1, 2, 3]),
    ("int2", [3, 4]),
    ("point3f", [1, 2, 3]),
    ("color4f", [1, 0, 0, 0.5]),
    ("quatd", [0.1, 0.2, 0.3, 0.9]),
    ("quatf", [0, 0, 1, 0]),
    ("quath", [1, 0, 0, 0]),
    ("matrix3d", np.arange(9.0).reshape(3, 3)),
    ("matrix4d", np.arange(16.0).reshape(4, 4)),
    ("frame4d", np.eye(4)),
    ("double[]", [0.1, 0.2]),
    ("float[]", []),
    ("int[]", [1, 2, 3]),
    ("bool[]", [True, False]),
    ("uchar[]", [0, 255]),
    ("half[]", [0.5]),
    ("token[]", ("a", "b")),
    ("string[]", ()),
    ("point3f[]", np.arange(12.0).reshape(4, 3)),
    ("double3[]", np.arange(6.0).reshape(2, 3) / 7),
    ("texCoord2f[]", [[0, 1], [0.5, 0.25]]),
    ("quatf[]", [[0, 0, 0, 1], [1, 0, 0, 0]]),
    ("quatd[]", [[0.1, 0.2, 0.3, 0.4]]),
    ("matrix4d[]", np.arange(32.0).reshape(2, 4, 4)),
    ("int3[]", [[1, 2, 3]]),
]


@pytest.fixture
def prim():
    stage = create_stage()
    yield define_prim(stage, "/a")
    del stage


@pytest.mark.parametrize(("kind", "value"), ROUND_TRIPS)
def test_every_type_reads_back(prim, kind, value):
    author(prim, "usdsim:x", kind, value)
    assert prim.GetAttribute("usdsim:x").GetTypeName() == Sdf.ValueTypeNames.Find(kind)
    got = authored(prim, "usdsim:x")
    np.testing.assert_array_equal(got, value)
    if not isinstance(value, (list, np.ndarray)):
        assert type(got) is type(value)
    elif got.size and kind not in ("int2", "int3[]", "int[]", "bool[]", "uchar[]"):
        assert got.dtype == np.float64


def test_quaternions_are_real_last(prim):
    attribute = author(prim, "q", "quatd", [1.0, 2.0, 3.0, 4.0])
    assert attribute.Get() == Gf.Quatd(4.0, 1.0, 2.0, 3.0)
    attribute = author(prim, "qs", "quatf[]", [[1.0, 2.0, 3.0, 4.0]])
    assert attribute.Get()[0] == Gf.Quatf(4.0, 1.0, 2.0, 3.0)
    np.testing.assert_array_equal(from_usd(Vt.QuathArray([Gf.Quath(4, 1, 2, 3)])), [[1, 2, 3, 4]])


VECTORS = [getattr(Gf, f"Vec{size}{kind}") for size in (2, 3, 4) for kind in ("d", "f", "h", "i")]


@pytest.mark.parametrize("kind", VECTORS, ids=lambda kind: kind.__name__)
def test_numbers_of_vectors_are_their_own(kind):
    vector = kind(*[3, -7, 5, 11][: kind.dimension])
    assert numbers(vector) == list(vector)
    assert [*map(type, numbers(vector))] == [*map(type, vector)]


@pytest.mark.parametrize("kind", [Gf.Quatd, Gf.Quatf, Gf.Quath])
def test_numbers_of_quaternions_are_real_last(kind):
    quat = kind(0.1, 0.2, -0.3, 0.7)
    assert numbers(quat) == [*quat.GetImaginary(), quat.GetReal()]


def test_assets_keep_their_paths(prim):
    author(prim, "file", "asset", "./a.png")
    assert authored(prim, "file") == Sdf.AssetPath("./a.png")
    author(prim, "files", "asset[]", ["./a.png", Sdf.AssetPath("./b.png")])
    assert [entry.path for entry in authored(prim, "files")] == ["./a.png", "./b.png"]


def test_ready_usd_values_pass(prim):
    author(prim, "v", "double3", Gf.Vec3d(1, 2, 3))
    author(prim, "vs", "point3f[]", Vt.Vec3fArray([Gf.Vec3f(1, 2, 3)]))
    assert authored(prim, "v").tolist() == [1, 2, 3] and authored(prim, "vs").shape == (1, 3)


@given(st.floats(allow_nan=False))
def test_doubles_keep_every_digit(value):
    assert from_usd(to_usd(value, Sdf.ValueTypeNames.Double)) == value


def test_fallbacks_are_not_authored():
    stage = create_stage()
    prim = UsdGeom.Sphere.Define(stage, "/s").GetPrim()
    UsdPhysics.MassAPI.Apply(prim)
    assert prim.GetAttribute("radius").Get() == 1.0
    assert not is_authored(prim, "radius") and not is_authored(prim, "nothing")
    assert authored(prim, "radius") is None
    assert authored(prim, "physics:mass", 3.0) == 3.0
    UsdGeom.Sphere(prim).GetRadiusAttr().Set(2.0)
    assert is_authored(prim, "radius") and authored(prim, "radius") == 2.0
    prim.GetAttribute("radius").Block()
    assert not is_authored(prim, "radius") and authored(prim, "radius", 5.0) == 5.0


def test_of_time_samples_the_first_counts():
    stage = create_stage()
    prim = UsdGeom.Sphere.Define(stage, "/s").GetPrim()
    prim.GetAttribute("radius").Set(7.0, Usd.TimeCode(3))
    prim.GetAttribute("radius").Set(9.0, Usd.TimeCode(5))
    assert authored(prim, "radius") == 7.0
    prim.GetAttribute("radius").Set(1.5)
    assert authored(prim, "radius") == 7.0


def test_a_schemas_type_wins_over_the_callers():
    stage = create_stage()
    prim = define_prim(stage, "/a")
    UsdPhysics.MassAPI.Apply(prim)
    attribute = author(prim, "physics:mass", "double", 2)
    assert attribute.GetTypeName() == Sdf.ValueTypeNames.Float
    assert not attribute.IsCustom()


def test_custom_and_uniform(prim):
    plain = author(prim, "a:x", "double", 1)
    marked = author(prim, "a:y", "double", 1, custom=True, uniform=True)
    assert (plain.IsCustom(), plain.GetVariability()) == (False, Sdf.VariabilityVarying)
    assert (marked.IsCustom(), marked.GetVariability()) == (True, Sdf.VariabilityUniform)


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("double", [1.0, 2.0], ShapeError),
        ("double3", [1.0, 2.0], ShapeError),
        ("double3", 1.0, ShapeError),
        ("quatd", [1.0, 0.0, 0.0], ShapeError),
        ("point3f[]", [1.0, 2.0, 3.0], ShapeError),
        ("matrix4d", np.eye(3), ShapeError),
        ("double", "1.0", InvalidValueError),
        ("double", None, InvalidValueError),
        ("double[]", [[1.0], [1.0, 2.0]], InvalidValueError),
        ("int", 1.5, InvalidValueError),
        ("int", 2**31, InvalidValueError),
        ("uchar", -1, InvalidValueError),
        ("int[]", [1.5], InvalidValueError),
        ("token", 3, InvalidValueError),
        ("nonsense", 3, InvalidValueError),
    ],
)
def test_values_that_do_not_fit_are_named(prim, kind, value, error):
    with pytest.raises(error, match=r"/a\.x"):
        author(prim, "x", kind, value)


def test_instances_cannot_be_edited():
    stage = create_stage()
    author(define_prim(stage, "/prototype/body"), "x", "double", 1)
    prim = define_prim(stage, "/a")
    prim.GetReferences().AddInternalReference("/prototype")
    prim.SetInstanceable(True)
    body = stage.GetPrimAtPath("/a/body")
    assert authored(body, "x") == 1
    for name in ("x", "y"):
        with pytest.raises(StageError, match="/a/body"):
            author(body, name, "double", 1)
