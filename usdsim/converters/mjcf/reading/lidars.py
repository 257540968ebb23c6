"""Lidars of MJCF as other engines write it: sensors with a profile among the assets."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from usdsim.core.errors import ConversionError, InvalidValueError
from usdsim.core.lidar import LidarScan, spread

__all__ = ["replace_lidars"]


def replace_lidars(root: Element, where: Callable[[Element], str]) -> list[tuple[Element, str]]:
    """Write lidars as user sensors, which MuJoCo knows; see `LidarScan`.

    Args:
        root: the model, changed in place.
        where: file and name of an element, for messages.

    Returns:
        Elements with what they say and what is not simulated.

    Raises:
        ConversionError: a profile is missing, or a number is not allowed.
    """
    profiles: dict[str, Element] = {}
    for assets in root.iter("asset"):
        for profile in assets.findall("lidar"):
            profiles[profile.get("name", "")] = profile
            assets.remove(profile)
    notes = []
    for sensors in root.iter("sensor"):
        for sensor in sensors.findall("lidar"):
            found = profiles.get(sensor.get("asset", ""))
            if found is None:
                known = ", ".join(sorted(profiles)) or "none"
                raise ConversionError(
                    f"{where(sensor)}: asset is {sensor.get('asset')!r}; allowed: the name of a "
                    f"<lidar> of <asset> ({known})."
                )
            try:
                scan = _scan(found, sensor)
            except (ValueError, InvalidValueError) as error:
                raise ConversionError(f"{where(sensor)}: {error}") from error
            if sensor.get("hz"):
                notes.append((sensor, "hz=..., as every reading is a whole scan,"))
            _become(sensor, scan)
    return notes


def _scan(profile: Element, sensor: Element) -> LidarScan:
    """Beams of a profile, as a sensor uses it."""
    columns = int(profile.get("hscan", "1"))
    if profile.get("reportrate"):
        if not sensor.get("hz"):
            raise ValueError("reportrate of the profile needs hz of the sensor.")
        columns = round(float(profile.attrib["reportrate"]) / float(sensor.attrib["hz"]))
    around = _pair(profile, "hrange")
    if profile.get("pattern", "grid") == "rings":
        above = tuple(float(word) for word in profile.get("elevations", "").split())
    else:
        above = spread(*_pair(profile, "vrange"), int(profile.get("vscan", "1")))
    return LidarScan(
        spread(*around, columns, circle=True),
        above,
        float(profile.get("cutoff", "100")),
        sensor.get("exclude", "parentbody"),  # type: ignore[arg-type]
    )


def _pair(profile: Element, name: str) -> tuple[float, float]:
    words = profile.get(name, "0 0").split()
    if len(words) != 2:
        raise ValueError(f"{name} is {' '.join(words)!r}; allowed: two angles [deg].")
    return float(words[0]), float(words[1])


def _become(sensor: Element, scan: LidarScan) -> None:
    """Make an element the user sensor of a scan."""
    kept = [(key, value) for key, value in sensor.attrib.items() if key in ("name", "_folder")]
    site = sensor.get("site", "")
    sensor.tag = "user"
    sensor.attrib.clear()
    sensor.attrib.update(kept)
    sensor.attrib.update(
        objtype="site",
        objname=site,
        dim=str(3 * scan.count),
        needstage="pos",
        datatype="real",
        user=" ".join(f"{number:.17g}" for number in scan.numbers()),
    )
