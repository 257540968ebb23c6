"""Local sensors: velocities and accelerations in own frames, which MuJoCo has of sites only."""

from __future__ import annotations

import mujoco

__all__ = ["give_sites"]

_KIND, _OBJECT = mujoco.mjtSensor, mujoco.mjtObj
_LOCAL = {
    _KIND.mjSENS_FRAMELINVEL: _KIND.mjSENS_VELOCIMETER,
    _KIND.mjSENS_FRAMEANGVEL: _KIND.mjSENS_GYRO,
    _KIND.mjSENS_FRAMELINACC: _KIND.mjSENS_ACCELEROMETER,
}


def give_sites(spec: mujoco.MjSpec) -> None:
    """Measure on sites what sensors would measure relative to themselves, which is nothing.

    Such a sensor, of a link or a geom in its own frame, gets a site there with the sensor's name.

    Args:
        spec: world that is about to be built.
    """
    found = [
        sensor
        for sensor in spec.sensors
        if sensor.type in _LOCAL
        and sensor.reftype != _OBJECT.mjOBJ_UNKNOWN
        and (sensor.reftype, sensor.refname) == (sensor.objtype, sensor.objname)
    ]
    if not found:
        return
    model = spec.copy().compile()
    for index, sensor in enumerate(found):
        name = str(sensor.objname)
        body, pos, quat = spec.body(name), [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
        if sensor.objtype == _OBJECT.mjOBJ_GEOM:
            body, geom = spec.geom(name).parent, model.geom(name)
            pos, quat = geom.pos, geom.quat
        elif sensor.objtype == _OBJECT.mjOBJ_BODY:
            pos, quat = model.body(name).ipos, model.body(name).iquat
        elif sensor.objtype != _OBJECT.mjOBJ_XBODY:
            continue
        site = f"{sensor.name or index} frame"
        body.add_site(name=site, pos=pos, quat=quat)
        sensor.type = _LOCAL[sensor.type]
        sensor.objtype, sensor.objname = _OBJECT.mjOBJ_SITE, site
        sensor.reftype, sensor.refname = _OBJECT.mjOBJ_UNKNOWN, ""
