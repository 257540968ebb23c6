"""Which limit holds, by what is configured and what is on the stage."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from actuator_models import make

from usdsim.actuators import (
    ActuatorCollection,
    IdealPDActuatorCfg,
    ImplicitActuatorCfg,
    format_resolution_tables,
)
from usdsim.core.errors import InvalidValueError

pytestmark = pytest.mark.usefixtures("memory")

STAGE_EFFORT, STAGE_VELOCITY = 300.0, 40.0
NAMES = ("effort_limit", "effort_limit_sim", "velocity_limit", "velocity_limit_sim")


def limits(cfg_type, **values):
    model = make(
        cfg_type(joint_names_expr=[".*"], **values),
        effort_limit=STAGE_EFFORT, velocity_limit=STAGE_VELOCITY,
    )  # fmt: skip
    found = []
    for name in NAMES:
        array = getattr(model, name).numpy()
        assert array.shape == (2, 3) and (array == array[0, 0]).all()
        found.append(float(array[0, 0]))
    return tuple(found)


IMPLICIT = [
    ({}, (300, 300, 40, 40)),
    ({"effort_limit": 7.0}, (7, 7, 40, 40)),
    ({"effort_limit_sim": 7.0}, (7, 7, 40, 40)),
    ({"effort_limit": 7.0, "effort_limit_sim": 7.0}, (7, 7, 40, 40)),
    ({"velocity_limit": 5.0}, (300, 300, 40, 40)),
    ({"velocity_limit_sim": 5.0}, (300, 300, 5, 5)),
    ({"velocity_limit": 5.0, "velocity_limit_sim": 5.0}, (300, 300, 5, 5)),
    ({"actuator_effort_limit": 7.0}, (7, 7, 40, 40)),
    ({"joint_effort_limit": 7.0}, (7, 7, 40, 40)),
    ({"joint_velocity_limit": 5.0}, (300, 300, 5, 5)),
    ({"effort_limit": {".*": 7.0}, "effort_limit_sim": 7.0}, (7, 7, 40, 40)),
]

EXPLICIT = [
    ({}, (300, 1e9, 40, 40)),
    ({"effort_limit": 7.0}, (7, 1e9, 40, 40)),
    ({"effort_limit_sim": 8.0}, (300, 8, 40, 40)),
    ({"effort_limit": 7.0, "effort_limit_sim": 8.0}, (7, 8, 40, 40)),
    ({"velocity_limit": 5.0}, (300, 1e9, 5, 40)),
    ({"velocity_limit_sim": 6.0}, (300, 1e9, 6, 6)),
    ({"velocity_limit": 5.0, "velocity_limit_sim": 6.0}, (300, 1e9, 5, 6)),
    ({"actuator_effort_limit": 7.0}, (7, 300, 40, 40)),
    ({"actuator_effort_limit": 7.0, "joint_effort_limit": 8.0}, (7, 8, 40, 40)),
    ({"joint_effort_limit": 8.0}, (300, 8, 40, 40)),
    ({"actuator_velocity_limit": 5.0, "joint_velocity_limit": 6.0}, (300, 1e9, 5, 6)),
]


@pytest.mark.parametrize(
    ("cfg_type", "values", "expected"),
    [(ImplicitActuatorCfg, *case) for case in IMPLICIT]
    + [(IdealPDActuatorCfg, *case) for case in EXPLICIT],
)
def test_limits(cfg_type, values, expected):
    assert limits(cfg_type, **values) == expected


@pytest.mark.parametrize("pair", ["effort_limit", "velocity_limit"])
def test_a_drives_two_spellings_must_agree(pair):
    with pytest.raises(InvalidValueError, match=rf"{pair} of joints \['knee'\]"):
        limits(ImplicitActuatorCfg, **{pair: [1.0, 2.0, 3.0], f"{pair}_sim": [1.0, 2.5, 3.0]})
    with pytest.raises(ValueError, match="one limit"):
        limits(ImplicitActuatorCfg, **{f"actuator_{pair}": 1.0, f"joint_{pair}": 2.0})


def test_both_names_of_one_limit():
    with pytest.warns(UserWarning, match="the same limit"):
        assert limits(IdealPDActuatorCfg, effort_limit=7.0, actuator_effort_limit=7.0)[0] == 7.0
    with pytest.raises(InvalidValueError, match="joint_effort_limit"):
        limits(IdealPDActuatorCfg, effort_limit_sim=7.0, joint_effort_limit=8.0)


def test_a_limit_without_effect_is_told(caplog):
    with caplog.at_level(logging.WARNING, "usdsim"):
        limits(ImplicitActuatorCfg, velocity_limit=5.0)
    assert "velocity_limit_sim" in caplog.text


def test_where_values_come_from(caplog):
    cfg = IdealPDActuatorCfg(joint_names_expr=["knee", "hip"], stiffness={"knee": 9.0}, damping=2.0)
    collection = ActuatorCollection.from_cfgs(
        {"leg": cfg},
        ["hip", "ankle", "knee"],
        2,
        "cpu",
        on_stage={"stiffness": 4.0, "damping": 2.0},
    )
    table = collection["leg"].joint_property_resolution_table
    assert table["stiffness"] == [("hip", 0, 4.0, None, 4.0), ("knee", 2, 4.0, 9.0, 9.0)]
    assert "damping" not in table  # configured as it is on the stage
    assert [row[4] for row in table["effort_limit_sim"]] == [1e9, 1e9]
    with caplog.at_level(logging.INFO, "usdsim"):
        text = format_resolution_tables(collection)
    assert text in caplog.text
    lines = text.splitlines()
    assert lines[0].split()[:4] == ["group", "property", "joint", "index"]
    assert lines[3].split() == ["leg", "stiffness", "knee", "2", "4", "9", "9"]
    assert len({len(line.split()) for line in lines[2:]}) == 1
    assert np.isinf(collection["leg"].velocity_limit_sim.numpy()).all()
