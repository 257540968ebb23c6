"""Cables of MuJoCo 2 and 3 are rods; numbers of their motion are from MuJoCo 3.3.7."""

from __future__ import annotations

import numpy as np
import pytest

from usdsim import SceneData, load_mjcf_str
from usdsim.core.errors import ConversionError
from usdsim.sim import EngineReader

PLUGIN = """<plugin plugin="mujoco.elasticity.cable"><config key="twist" value="4e7"/>
  <config key="bend" value="1e8"/><config key="vmax" value="0"/></plugin>"""
TURNED = 'quat="0.7313537 0 0.6819984 0"'
"""Hanging, and 4 degrees away."""


def cable(
    children=PLUGIN, count=11, curve="s", size="1 0 0", initial="none", more="", damping=0.02,
    geom='type="capsule" size=".005" density="1200"', others="", settings="",
):  # fmt: skip
    extension = '<extension><plugin plugin="mujoco.elasticity.cable"/></extension>'
    return f"""<mujoco>{extension}{settings}<worldbody><body name="root" pos="0 0 1">
      <composite prefix="c" type="cable" curve="{curve}" count="{count} 1 1" size="{size}"
        initial="{initial}" {more}>{children}<joint kind="main" damping="{damping}"/>
      <geom {geom}/></composite></body></worldbody>{others}</mujoco>"""


def start(model):
    return EngineReader(SceneData(model).low).deformable_points()[0]


def ends(model, steps, every=1):
    """Where the end is, over time."""
    data, found = SceneData(model), []
    reader = EngineReader(data.low)
    for _ in range(steps // every):
        model.step_n(data, every)
        found.append(reader.deformable_points()[0][-1].copy())
    return np.array(found)


def test_a_clamped_cable_sags_as_in_version_3():
    model = load_mjcf_str(cable(settings='<option integrator="implicitfast"/>'))
    assert any("integrator" in finding.message for finding in model.conversion.warnings)
    np.testing.assert_allclose(ends(model, 4000, 400)[-1], [0.6938, 0.0, 0.3468], atol=0.01)


def test_a_hanging_cable_swings_with_the_period_of_version_3():
    soft = PLUGIN.replace("1e8", "1e6").replace("4e7", "4e5")
    text = cable(soft, count=21, initial="ball", more=TURNED, damping=1e-5)
    across = ends(load_mjcf_str(text), 4000)[:, 0]
    zeros = np.flatnonzero((across[:-1] > 0.0) & (across[1:] <= 0.0))
    assert np.diff(zeros).mean() * 0.002 == pytest.approx(1.6541, rel=4e-3)


@pytest.mark.parametrize(
    ("curve", "size", "points"),
    [
        ("s", "1 0 0", [[0, 0, 1], [0.2, 0, 1], [0.4, 0, 1], [0.6, 0, 1], [0.8, 0, 1], [1, 0, 1]]),
        ("cos(s) sin(s) s", "1 .2 1", [
            [0.2, 0, 1], [0.1618, 0.1176, 1.2], [0.0618, 0.1902, 1.4], [-0.0618, 0.1902, 1.6],
            [-0.1618, 0.1176, 1.8], [-0.2, 0, 2],
        ]),
        ("s cos(s) 0", "1 .3 .5", [
            [0, 0.3, 1], [0.2, 0.2853, 1], [0.4, 0.2427, 1], [0.6, 0.1763, 1], [0.8, 0.0927, 1],
            [1, 0, 1],
        ]),
    ],
)  # fmt: skip
def test_points_lie_on_its_curve(curve, size, points):
    model = load_mjcf_str(cable(curve=curve, size=size, count=6))
    np.testing.assert_allclose(start(model), points, atol=1e-4)


def test_offset_turn_and_vertices():
    text = cable(count=4, more='offset="1 2 3" quat=".7071 0 0 .7071"')
    places = [[1, 2, 4], [1, 2.3333, 4], [1, 2.6667, 4], [1, 3, 4]]
    np.testing.assert_allclose(start(load_mjcf_str(text)), places, atol=1e-4)
    text = cable(more='vertex="0 0 0 .1 0 0 .1 .1 0"')
    given = [[0, 0, 1], [0.1, 0, 1], [0.1, 0.1, 1]]
    np.testing.assert_allclose(start(load_mjcf_str(text)), given, atol=1e-6)


@pytest.mark.parametrize(("initial", "dofs"), [("none", 36), ("ball", 40), ("free", 43)])
def test_what_holds_the_first_segment(initial, dofs):
    low = load_mjcf_str(cable(initial=initial)).low
    assert low.nv == dofs


def test_points_have_the_masses_of_their_segments():
    low = load_mjcf_str(cable(initial="free")).low
    masses = low.body_mass[low.flex_vertbodyid]
    segment = 1200.0 * np.pi * 0.005**2 * (0.1 + 4.0 / 3.0 * 0.005)
    np.testing.assert_allclose(masses, segment * np.array([0.5, *[1.0] * 9, 0.5]), rtol=1e-6)
    weighed = cable(initial="free", geom='type="cylinder" size=".005" mass=".2"')
    low = load_mjcf_str(weighed).low
    assert low.body_mass[low.flex_vertbodyid].sum() == pytest.approx(2.0)


def test_defaults_of_shapes_and_joints_count():
    defaults = """<default><geom type="capsule" size=".01" rgba="1 0 0 1"/><default class="rope">
      <geom friction=".3" contype="2"/></default></default>"""
    low = load_mjcf_str(cable(geom='class="rope"', settings=defaults)).low
    assert low.flex_radius[0] == pytest.approx(0.01)
    assert low.flex_friction[0, 0] == pytest.approx(0.3) and low.flex_contype[0] == 2
    np.testing.assert_allclose(low.flex_rgba[0], [1, 0, 0, 1])


def test_what_it_is_connected_to_pulls_as_in_version_3():
    text = cable(
        PLUGIN.replace("1e8", "1e5").replace("4e7", "4e4"), count=21, initial="ball", damping=0.01,
        others='<equality><connect body1="cB_last" body2="w" anchor=".05 0 0"/></equality>',
    ).replace(
        "</worldbody>",
        """<body name="w" pos="1.2 0 1"><joint type="slide" axis="1 0 0" damping="5" stiffness="200"
        springref="-.4"/><geom size=".02" mass=".5" contype="0" conaffinity="0"/></body>
        </worldbody>""",
    )  # fmt: skip
    model = load_mjcf_str(text)
    data = SceneData(model)
    model.step_n(data, 4000)
    points = EngineReader(data.low).deformable_points()[0]
    np.testing.assert_allclose(points[10], [0.2990, 0.0, 0.6358], atol=3e-3)
    np.testing.assert_allclose(points[20], [0.5988, 0.0, 0.9989], atol=5e-3)


def test_other_elements_may_have_names_of_its_parts():
    text = cable(others='<custom><text name="cB_last" data="no reference"/></custom>')
    assert load_mjcf_str(text).low.nflex == 1


def test_without_elasticity_it_is_a_chain():
    model = load_mjcf_str(cable("", initial="ball"))
    assert model.low.nv == 30 and (model.low.flex_bendingadr < 0).all()
    assert any("damping" in finding.message for finding in model.conversion.warnings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"geom": 'type="box" size=".1 .01 .01"'}, "its geom is a box"),
        ({"count": 1}, "count is 1"),
        ({"initial": "glued"}, "initial is 'glued'"),
        ({"curve": "tan(s)"}, r"curve has 'tan\(s\)'"),
        ({"more": 'vertex="0 0 0 1"'}, "vertex has 4 numbers"),
        ({"children": '<plugin plugin="mujoco.sdf.bolt"/>'}, "its plugin is 'mujoco.sdf.bolt'"),
        (
            {
                "children": PLUGIN.replace(
                    "</plugin>", '<config key="flat" value="true"/></plugin>'
                ),
                "curve": "cos(s) sin(s) 0",
                "size": "1 .2 1",
            },
            "curved, but flat at rest",
        ),
        (
            {"others": '<equality><connect body1="cB_last" anchor=".05 0 0"/></equality>'},
            "<connect> refers to its part 'cB_last' by body1",
        ),
        (
            {"others": '<contact><exclude body1="cB_1" body2="root"/></contact>'},
            "<exclude> refers to its part 'cB_1' by body1",
        ),
        (
            {"others": '<equality><connect body1="cB_first" anchor="0 0 0"/></equality>'},
            "<connect> refers to its part 'cB_first' by body1",
        ),
    ],
)
def test_what_has_no_equal_is_refused(change, message):
    with pytest.raises(ConversionError, match=message):
        load_mjcf_str(cable(**change))
