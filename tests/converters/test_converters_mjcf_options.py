"""Options of MJCF conversions; without any, the model stays what it is."""

from __future__ import annotations

import pytest

from usdsim.converters.cfg import MjcfConverterCfg
from usdsim.converters.conversion import convert_file
from usdsim.core.errors import ConversionError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage
from usdsim.testing import check_conversion

TEXT = """<mujoco model="bot"><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="base" pos="0 0 1"><freejoint name="root"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom size="0.1"/><site name="eye"/>
<body name="arm" pos="0 0 1"><joint name="j"/><geom size="0.1" mass="2"/>
<body name="hand" pos="0 0 1"><joint name="k"/><geom size="0.1" mass="2"/></body>
</body></body></worldbody></mujoco>"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "bot.xml"
    path.write_text(TEXT)
    return path


def model(source, **options):
    cfg = MjcfConverterCfg(asset_path=str(source), **options)
    return compile_scene(parse_stage(convert_file(source, None, cfg).stage, exact=True).scene).mj


def test_by_default_the_law_holds(source):
    assert check_conversion(source) == []


def test_base(source):
    assert (model(source).nq, model(source, fix_base=True).nq) == (9, 2)
    source.write_text(TEXT.replace('<freejoint name="root"/>', ""))
    assert (model(source).nq, model(source, fix_base=False).nq) == (2, 9)


def test_sites_can_be_left_out(source):
    assert (model(source).nsite, model(source, import_sites=False).nsite) == (1, 0)


def test_inertia_can_follow_from_shapes(source):
    assert model(source).body_inertia[1, 0] == pytest.approx(1.0)
    assert model(source, import_inertia_tensor=False).body_inertia[1, 0] < 0.1


def test_self_collision(source):
    off = model(source, self_collision=False)
    masks = list(zip(off.geom_contype.tolist(), off.geom_conaffinity.tolist(), strict=True))
    assert masks == [(1, 1), (1, 0), (1, 0), (1, 0)]
    assert model(source, self_collision=True).geom_conaffinity.tolist() == [1, 1, 1, 1]


def test_a_refused_model_says_where(source):
    source.write_text(TEXT.replace('name="k"', 'nam="k"'))
    for options in ({}, {"fix_base": True}):
        with pytest.raises(ConversionError, match=r"bot\.xml"):
            model(source, **options)


def test_options_act_on_what_is_of_other_engines_too(source):
    source.write_text(TEXT.replace("<worldbody>", "<asset><gsplat/></asset><worldbody>"))
    result = convert_file(source, None, MjcfConverterCfg(asset_path=str(source), fix_base=True))
    assert result.report.by_code("other-engine")
    assert compile_scene(parse_stage(result.stage, exact=True).scene).mj.nq == 2


@pytest.mark.parametrize("name", ["bot.mjcf", "bot.XML"])
def test_models_are_read_whatever_their_names_end_with(source, tmp_path, name):
    (tmp_path / "parts").mkdir()
    part = '<body name="ball" pos="0 0 3"><freejoint/><geom size="0.1"/></body>'
    (tmp_path / "parts" / "ball.xml").write_text(f"<mujocoinclude>{part}</mujocoinclude>")
    path = tmp_path / name
    path.write_text(TEXT.replace("<worldbody>", '<worldbody><include file="parts/ball.xml"/>'))
    assert check_conversion(path) == []
    assert model(path).nq == 16 and model(path, fix_base=True).nq == 2
