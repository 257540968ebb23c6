"""Report flags: what programs switch on before they read contact forces."""

from __future__ import annotations

from usdsim.core.arguments import truth

__all__ = ["ReportFlags"]


class ReportFlags:
    """Switches of reports. Contacts and their forces are there when read, whatever is set here."""

    __slots__ = ("_contact_forces", "_contacting_geoms")

    def __init__(self) -> None:
        self._contact_forces = self._contacting_geoms = True

    @property
    def contact_forces(self) -> bool:
        """Whether a program wants net contact forces; they are computed when they are read."""
        return self._contact_forces

    @contact_forces.setter
    def contact_forces(self, value: bool) -> None:
        self._contact_forces = truth("contact_forces", value)

    @property
    def contacting_geoms(self) -> bool:
        """Whether a program wants to know what touches; it is looked up when it is asked for."""
        return self._contacting_geoms

    @contacting_geoms.setter
    def contacting_geoms(self, value: bool) -> None:
        self._contacting_geoms = truth("contacting_geoms", value)
