"""Mass properties of links."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import mujoco
import numpy as np

from usdsim.math.rotations import quat_from_wxyz, quat_to_matrix
from usdsim.math.transforms import Pose

from .elements import add_origin, number

__all__ = ["inertial"]

_PRODUCTS = (
    ("ixx", 0, 0),
    ("iyy", 1, 1),
    ("izz", 2, 2),
    ("ixy", 0, 1),
    ("ixz", 0, 2),
    ("iyz", 1, 2),
)


def inertial(link: ET.Element, model: mujoco.MjModel, body: int) -> None:
    """Add the ``<inertial>`` of an engine body, in the axes of its link.

    A link without mass has none, unless it has shapes, from which readers would make one up.
    """
    mass = float(model.body_mass[body])
    if mass == 0.0 and not model.body_geomnum[body]:
        return
    element = ET.SubElement(link, "inertial")
    add_origin(element, Pose(model.body_ipos[body].copy()))
    ET.SubElement(element, "mass", {"value": number(mass)})
    turn = quat_to_matrix(quat_from_wxyz(model.body_iquat[body]))
    tensor = turn @ np.diag(model.body_inertia[body]) @ turn.T
    values = {name: number(tensor[i, j]) for name, i, j in _PRODUCTS}
    ET.SubElement(element, "inertia", values)
