"""Body finder: bodies of an asset or a sensor by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from usdsim.core.names import match_names

__all__ = ["BodyFinder"]


class BodyFinder(ABC):
    """Names of the bodies of an asset or a sensor."""

    _noun: ClassVar[str] = "body"
    """Word for a body in messages."""

    @property
    @abstractmethod
    def body_names(self) -> list[str]:
        """Names of the bodies, in the order of arrays."""

    @property
    @abstractmethod
    def _where(self) -> str:
        """Owner of the bodies, in messages."""

    @property
    def num_bodies(self) -> int:
        """Number of bodies of an instance."""
        return len(self.body_names)

    def find_bodies(
        self, name_keys: str | Sequence[str], preserve_order: bool = False
    ) -> tuple[list[int], list[str]]:
        """Bodies whose names match.

        Args:
            name_keys: a regular expression for whole names, or several.
            preserve_order: whether the order is that of the expressions rather than of the bodies.

        Returns:
            Indices and names.

        Raises:
            UnknownNameError: an expression matches no body.
            InvalidValueError: an expression is none, or two of them match one body.
        """
        return match_names(
            name_keys,
            self.body_names,
            preserve_order=preserve_order,
            kind=self._noun,
            where=self._where,
        )
