"""What is given as data is data of the model, at every method that takes some."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from usdsim import SceneData, load_mjcf_str
from usdsim.core.errors import InvalidValueError, UsdsimError
from usdsim.scene import reset

EVERYTHING = """
<mujoco>
  <asset>
    <hfield name="hills" nrow="2" ncol="2" size="1 1 1 1" elevation="0 0 0 1"/>
    <mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  </asset>
  <worldbody>
    <geom type="hfield" hfield="hills" pos="9 9 0"/>
    <geom type="plane" size="1 1 1"/>
    <camera name="eye" pos="0 0 2"/>
    <body mocap="true" pos="3 0 0"><geom size=".1"/></body>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom size=".1"/>
      <site name="tip"/>
      <body name="arm">
        <joint name="hinge"/>
        <geom type="box" size=".1 .1 .1"/>
        <geom type="capsule" size=".1 .1"/>
      </body>
      <body>
        <joint name="slide" type="slide"/>
        <geom type="cylinder" size=".1 .1"/>
        <geom type="mesh" mesh="tetra"/>
        <geom type="ellipsoid" size=".1 .1 .1"/>
      </body>
    </body>
  </worldbody>
  <tendon><fixed><joint joint="hinge" coef="1"/></fixed></tendon>
  <actuator>
    <motor joint="hinge"/>
    <position joint="slide" kp="1"/>
    <velocity joint="hinge" kv="1"/>
    <general joint="hinge"/>
    <adhesion body="arm" ctrlrange="0 1"/>
  </actuator>
  <sensor><jointpos joint="hinge"/></sensor>
  <keyframe><key/></keyframe>
</mujoco>
"""


def _methods_with_data(model: Any) -> dict[str, Any]:
    """Every method of the model and of its elements that takes data, one of each class."""
    whole = ("links", "bodies", "joints", "geoms", "sites", "actuators", "sensors", "keyframes")
    owners = [model, *model.cameras, *(item for name in whole for item in getattr(model, name))]
    owners += [found for body in model.bodies for found in (body.floatingbase, body.mocap) if found]
    methods = {}
    for owner in owners:
        for name in dir(owner):
            method = None if name.startswith("_") else getattr(owner, name, None)
            if callable(method) and "data" in inspect.signature(method).parameters:
                methods.setdefault(f"{type(owner).__name__}.{name}", method)
    return methods


def test_what_is_no_data_is_refused_everywhere():
    model, other = load_mjcf_str(EVERYTHING), load_mjcf_str(EVERYTHING)
    wrong = (model, model.links[0], None, np.zeros(3), model.low, SceneData(other))
    methods = _methods_with_data(model)
    assert len(methods) > 250
    for title, method in methods.items():
        needed = [
            name
            for name, parameter in inspect.signature(method).parameters.items()
            if parameter.default is parameter.empty and name != "data"
        ]
        if needed == ["name"] or needed == ["name", "values"]:
            continue  # By the name of another method, which is tried itself.
        for what in wrong:
            arguments = dict.fromkeys(needed, np.zeros(3)) | {"data": what}
            with pytest.raises(UsdsimError):
                pytest.fail(f"{title} took {what!r}: {method(**arguments)!r}")


def test_the_error_for_what_is_no_data_says_what_is():
    model = load_mjcf_str(EVERYTHING)
    link = model.get_link("arm")
    with pytest.raises(
        InvalidValueError, match=r"data is <SceneModel.*; allowed: a SceneData that belongs"
    ):
        link.get_pose(model)
    with pytest.raises(InvalidValueError, match=r"data is <SceneModel.*SceneData\(model\) makes"):
        reset(SceneData(model), model)
