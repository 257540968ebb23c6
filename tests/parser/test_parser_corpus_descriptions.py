"""Descriptions of real robots act: a replaced field of any element shows in the model."""

from __future__ import annotations

import pytest
from corpus_files import corpus_models
from test_parser_descriptions_act import silent

from usdsim.converters.conversion import convert_file
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
