"""Override errors: of parameters set for single worlds."""

from __future__ import annotations

from usdsim.core.errors import InvalidValueError, UnsupportedError, UsdsimError

__all__ = [
    "ActuatorOverrideDampingTypeError",
    "ActuatorOverrideError",
    "ActuatorOverrideInvalidValueError",
    "ActuatorOverrideUnsupportedTypeError",
]


class ActuatorOverrideError(UsdsimError, ValueError):
    """An actuator parameter cannot be set as asked; nothing was changed."""


class ActuatorOverrideInvalidValueError(InvalidValueError, ActuatorOverrideError):
    """The value is outside the parameter's domain."""


class ActuatorOverrideUnsupportedTypeError(UnsupportedError, ActuatorOverrideError):
    """This kind of actuator has no such parameter."""


class ActuatorOverrideDampingTypeError(ActuatorOverrideError):
    """The damping given is not of the kind the actuator stores."""
