"""Boundary to what OpenUSD hands out of a stage: its own errors, and values of unknown types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pxr import Tf, Usd

from usdsim.core.boundary import boundary
from usdsim.core.errors import ParseError, UsdsimError
from usdsim.usd.queries import traverse

__all__ = ["readable"]


@contextmanager
def readable(stage: Usd.Stage) -> Iterator[None]:
    """Read a stage; what OpenUSD raises, and what nobody can calculate with, is a `ParseError`.

    Raises:
        ParseError: OpenUSD refuses a value, or attributes have types that do not exist.
    """
    identifier = stage.GetRootLayer().identifier
    try:
        with boundary(f"Cannot read {identifier}", ParseError, caught=Tf.ErrorException):
            yield
    except UsdsimError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        unknown = _unknown_types(stage)
        if not unknown:
            raise
        raise ParseError(
            f"Cannot read {identifier}: USD has no such types as those of "
            f"{', '.join(unknown[:5])}. "
            "Correct the types of these attributes."
        ) from error


def _unknown_types(stage: Usd.Stage) -> list[str]:
    """Paths of attributes that are declared with a type USD does not have."""
    return [
        str(attribute.GetPath())
        for prim in traverse(stage)
        for attribute in prim.GetAuthoredAttributes()
        if not attribute.GetTypeName()
    ]
