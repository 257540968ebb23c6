"""MJCF of MuJoCo 2 and 3 that MuJoCo 4 refuses reads as what it was."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from usdsim import SceneData, load_mjcf_str, load_model

MODEL = """<mujoco>{settings}<worldbody>{things}
  <body pos="0 0 1"><joint name="j" type="slide" stiffness="10" springref="1" damping="3"/>
  <geom name="a" size=".1"/></body><body pos=".15 0 1"><joint type="slide"/>
  <geom name="b" size=".1"/></body></worldbody>{pairs}
  <tendon><spatial><site site="s"/><geom geom="a"/><site site="t"/></spatial></tendon></mujoco>"""
SITES = '<site name="s" pos="1 0 0"/><site name="t" pos="-1 0 0"/>'
PAIRS = '<contact><pair geom1="a" geom2="b" condim="1"/></contact>'


def load(settings="", things="", pairs=PAIRS):
    text = MODEL.format(settings=settings, things=SITES + things, pairs=pairs)
    with pytest.raises(ValueError, match="unrecognized attribute"):
        mujoco.MjModel.from_xml_string(text)
    return load_mjcf_str(text)


def contacts(model):
    data = mujoco.MjData(model.low)
    mujoco.mj_forward(model.low, data)
    return [int(data.contact.dim[i]) for i in range(data.ncon)]


@pytest.mark.parametrize(("value", "dims"), [("all", [1]), ("predefined", [1]), ("dynamic", [3])])
def test_pairs_or_shapes_alone_collide(value, dims):
    model = load(f'<option collision="{value}"/>')
    assert contacts(model) == dims and not model.conversion.warnings
    without = load(f'<option collision="{value}"/>', pairs="")
    assert contacts(without) == ([] if value == "predefined" else [3])


def test_solver_options_keep_their_values_under_new_names():
    model = load('<option mpr_tolerance="1e-7" mpr_iterations="33"/>')
    assert (model.low.opt.ccd_tolerance, model.low.opt.ccd_iterations) == (1e-7, 33)
    assert not model.conversion.warnings


@pytest.mark.parametrize(("value", "force"), [("enable", 10.0), ("disable", 0.0)])
def test_passive_forces_can_be_switched_off_at_once(value, force):
    model = load(f'<option gravity="0 0 0"><flag passive="{value}"/></option>', pairs="")
    data = mujoco.MjData(model.low)
    mujoco.mj_forward(model.low, data)
    assert data.qfrc_passive[0] == pytest.approx(force)


def test_meshes_have_exact_inertia_where_the_compiler_was_told_so():
    """A cube with a hole through it, which its hull would fill."""
    text = """<mujoco><compiler exactmeshinertia="{}"/><asset><mesh name="m" vertex="{}" face="{}"/>
      </asset><worldbody><body><geom type="mesh" mesh="m" density="1"/></body></worldbody>
      </mujoco>"""
    outer = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    points = [(*c * r, z) for r in (1.0, 0.5) for z in (-1.0, 1.0) for c in outer]
    faces = []
    for i in range(4):
        j = (i + 1) % 4
        for a, b, c, d in (
            (i, j, 4 + j, 4 + i), (8 + j, 8 + i, 12 + i, 12 + j),
            (4 + i, 4 + j, 12 + j, 12 + i), (j, i, 8 + i, 8 + j),
        ):  # fmt: skip
            faces += [a, b, c, a, c, d]
    arrays = (" ".join(map(str, np.ravel(values))) for values in (points, faces))
    model = load_mjcf_str(text.format("true", *arrays))
    assert model.low.body_mass[1] == pytest.approx(8.0 - 2.0)


def test_looks_of_earlier_versions_are_left_out_or_renamed_without_a_word():
    model = load(
        '<compiler convexhull="false"/><visual><global treedepth="2"/></visual>',
        '<camera name="eye" orthographic="true" fovy="2"/>',
    )
    assert model.cameras["eye"].orthographic and not model.conversion.warnings


@pytest.mark.parametrize(("value", "told"), [("false", 0), ("true", 1)])
def test_flexible_bodies_that_touched_themselves_are_told(value, told):
    model = load(
        "",
        f"""<flexcomp name="f" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2"
      mass="1"><contact internal="{value}"/><edge equality="true"/></flexcomp>""",
    )
    assert model.low.nflex == 1 and len(model.conversion.warnings) == told


def test_noise_of_sensors_is_told():
    (finding,) = load('<option><flag sensornoise="enable"/></option>').conversion.warnings
    assert "sensornoise" in str(finding)
    assert not load('<option><flag sensornoise="disable"/></option>').conversion.warnings


def test_included_files_are_of_earlier_versions_too(tmp_path):
    (tmp_path / "part.xml").write_text('<mujoco><option mpr_iterations="7"/></mujoco>')
    (tmp_path / "main.xml").write_text(
        '<mujoco><include file="part.xml"/><worldbody><body><freejoint/><geom size=".1"/></body>'
        "</worldbody></mujoco>"
    )
    model = load_model(tmp_path / "main.xml")
    assert model.low.opt.ccd_iterations == 7
    model.step_n(SceneData(model), 3)


def test_the_class_of_all_elements_could_have_a_name():
    """In 2.3.3, all sections at the top were one class, however they were called."""
    text = """<mujoco><default class="toy"><geom rgba="1 0 0 1"/><default class="big">
      <geom size=".3"/></default></default><default class="other"><geom size=".2"/></default>
      <worldbody><body childclass="toy"><geom/><geom class="other"/><geom class="big"/></body>
      </worldbody></mujoco>"""
    with pytest.raises(ValueError, match="cannot be renamed"):
        mujoco.MjModel.from_xml_string(text)
    model = load_mjcf_str(text)
    assert model.low.geom_size[:, 0].tolist() == [0.2, 0.2, 0.3]
    assert model.low.geom_rgba.tolist() == [[1, 0, 0, 1]] * 3 and not model.conversion.warnings


def test_files_are_found_where_their_names_have_the_slashes_of_windows(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part.xml").write_text(
        '<mujocoinclude><body><freejoint/><geom size=".1"/></body></mujocoinclude>'
    )
    (tmp_path / "main.xml").write_text(
        '<mujoco><worldbody><include file="parts\\part.xml"/></worldbody></mujoco>'
    )
    assert load_model(tmp_path / "main.xml").low.nbody == 2
