"""Joint friction writers: static, dynamic and viscous friction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.part import AssetPart
from usdsim.core.errors import InvalidValueError
from usdsim.views import FIELDS, AssetView
from usdsim.views.fields.table import AXES
from usdsim.views.forms import Chosen, chosen_by_ids, in_forms, with_forms
from usdsim.views.selection import Indices
from usdsim.views.values import Values

__all__ = ["JointFrictionWriters", "write_friction"]

Ids = NDArray[np.intp]

_STATIC = "joint_friction_coefficient"
_DYNAMIC = "joint_dynamic_friction_coefficient"
_VISCOUS = "joint_viscous_friction_coefficient"


@with_forms
class JointFrictionWriters(AssetPart):
    """Writers of joint friction, which act at once.

    A joint at rest withstands efforts up to its static friction [N or N m]; in motion, it is
    braked by its dynamic friction, which is not above the static one, and by its viscous friction
    times its velocity. Where only static friction is written, dynamic friction stays what it is,
    but for joints that have one friction for both, and for joints where it would be above.
    """

    @in_forms("write_joint_friction_coefficient_to_sim", "joint", plain_full_data=True)
    def _write_friction(
        self,
        chosen: Chosen,
        joint_friction_coeff: Values,
        joint_dynamic_friction_coeff: Values | None = None,
        joint_viscous_friction_coeff: Values | None = None,
    ) -> None:
        """Set friction of joints.

        Args:
            chosen: instances and joints.
            joint_friction_coeff: static friction [N or N m], shape (num_instances, num_joints) or
                what broadcasts to it.
            joint_dynamic_friction_coeff: dynamic friction [N or N m], same shape; None: what it
                is, but not above the static one, and the static one where both were the same.
            joint_viscous_friction_coeff: viscous friction [N s/m or N m s/rad], same shape; None:
                as it is.

        Raises:
            InvalidValueError: a value or an index is not allowed, or dynamic friction exceeds
                static friction; nothing is written then.
            ShapeError: the values do not fit.
        """
        view, rows, ids = self._view, chosen.rows, chosen.ids
        given = (joint_friction_coeff, joint_dynamic_friction_coeff, joint_viscous_friction_coeff)
        static, dynamic, viscous = (
            None if value is None else view.checked(row, value, rows, ids, chosen.full)
            for row, value in zip((_STATIC, _DYNAMIC, _VISCOUS), given, strict=True)
        )
        write_friction(view, static, dynamic, rows, ids)
        if viscous is not None:
            view.write(_VISCOUS, viscous, rows, ids)

    def write_joint_friction_to_sim(
        self, joint_friction: Values, joint_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set static friction of joints; see `write_joint_friction_coefficient_to_sim`.

        Args:
            joint_friction: static friction [N or N m], shape (len(env_ids), len(joint_ids)) or
                what broadcasts to it.
            joint_ids: joints, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
        """
        chosen = chosen_by_ids(self._view, AXES["joint"], env_ids, joint_ids)
        self._write_friction(chosen, joint_friction)


def write_friction(
    view: AssetView,
    static: NDArray[Any] | None,
    dynamic: NDArray[Any] | None,
    rows: Ids | None,
    columns: Ids | None,
) -> None:
    """Set dry friction of some instances and joints.

    Args:
        view: window of the asset on the engine.
        static: static friction [N or N m], shape (rows, columns); None: as it is.
        dynamic: dynamic friction [N or N m], same shape; None: what it is where that is another
            than the static one and not above the new one, else the new static one.
        rows: instances; None: all.
        columns: joints; None: all.

    Raises:
        InvalidValueError: dynamic friction exceeds static friction; nothing is written then.
    """
    layout, engine = view.layout, view.engine
    cells: Any = np.ix_(
        np.arange(layout.num_instances) if rows is None else rows,
        np.arange(layout.num_joints) if columns is None else columns,
    )
    before, moving = (FIELDS[row].read(view)[cells] for row in (_STATIC, _DYNAMIC))
    static = before if static is None else static.astype(np.float64)
    if dynamic is None:
        dynamic = np.where(moving == before, static, np.minimum(moving, static))
    dynamic = dynamic.astype(np.float64)
    above = np.argwhere(dynamic > static)
    if len(above):
        row, column = above[0]
        joint = layout.joint_names[int(cells[1][0, column])]
        raise InvalidValueError(
            f"dynamic friction of joint {joint!r} in instance {int(cells[0][row, 0])}",
            float(dynamic[row, column]),
            f"at most the static friction, {float(static[row, column])}",
            "Nothing was written.",
        )
    for worlds, dofs, part in view.columns("joint_dofs").parts(rows, columns):
        engine.set_joint_friction(static[part], dynamic[part], env_ids=worlds, dofs=dofs)
