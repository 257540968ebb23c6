import gc

import pytest
from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.parser import parse_stage
from usdsim.usd.bulk import uncollected


def test_the_collector_pauses_and_goes_on():
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_goes_on_after_an_error():
    with pytest.raises(ZeroDivisionError), uncollected():
        1 / 0  # noqa: B018
    assert gc.isenabled()


def test_a_collector_that_does_not_run_is_left_alone():
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_nothing_is_collected_while_a_stage_is_read():
    stage = Usd.Stage.CreateInMemory()
    for i in range(200):
        ball = UsdGeom.Sphere.Define(stage, f"/ball_{i}").GetPrim()
        UsdPhysics.RigidBodyAPI.Apply(ball)
        UsdPhysics.CollisionAPI.Apply(ball)
    phases = []
    gc.callbacks.append(note := lambda phase, info: phases.append(phase))
    try:
        result = parse_stage(stage)
    finally:
        gc.callbacks.remove(note)
    assert len(result.scene.bodies) == 200
    # The pause over, one may follow at once.
    assert phases.count("start") <= 1
