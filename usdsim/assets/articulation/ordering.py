"""Body and joint orders of an articulation: the engine's, a convention's, or a list."""

from __future__ import annotations

from collections.abc import Sequence

from usdsim.core.errors import InvalidValueError

__all__ = ["CONVENTIONS", "Ordering", "body_order", "joint_order", "listed_order"]

Ordering = str | Sequence[str] | None
"""Name of a convention, or all names in the order wanted; None: the engine's order."""

CONVENTIONS = {
    "breadth-first": "breadth",
    "physx": "breadth",
    "depth-first": "depth",
    "mjwarp": "depth",
}
"""Conventions by name: all bodies of a level before the next level, or each branch to its end."""


def body_order(ordering: Ordering, names: Sequence[str], parents: Sequence[int]) -> list[int]:
    """Positions of an articulation's bodies in an order.

    Args:
        ordering: the order wanted; siblings stay in the order given.
        names: the bodies in the engine's order, parents before children.
        parents: position of each body's parent; -1 for the root.

    Raises:
        InvalidValueError: there is no such convention, or a list has not each name once.
    """
    if ordering is None:
        return list(range(len(names)))
    if not isinstance(ordering, str):
        return listed_order("body_ordering", ordering, names)
    breadth = _convention("body_ordering", ordering) == "breadth"
    children: list[list[int]] = [[] for _ in names]
    waiting: list[int] = []
    for body, parent in enumerate(parents):
        (children[parent] if parent >= 0 else waiting).append(body)
    order: list[int] = []
    while waiting:
        body = waiting.pop(0)
        order.append(body)
        waiting = [*waiting, *children[body]] if breadth else [*children[body], *waiting]
    return order


def joint_order(
    ordering: Ordering, names: Sequence[str], bodies: Sequence[int], parents: Sequence[int]
) -> list[int]:
    """Positions of an articulation's joints in an order.

    A convention orders them as it orders the bodies they carry; joints of one body stay together.

    Args:
        ordering: the order wanted.
        names: the joints in the engine's order.
        bodies: position of the body each joint carries.
        parents: position of each body's parent; -1 for the root.

    Raises:
        InvalidValueError: there is no such convention, or a list has not each name once.
    """
    if ordering is None:
        return list(range(len(names)))
    if not isinstance(ordering, str):
        return listed_order("joint_ordering", ordering, names)
    _convention("joint_ordering", ordering)
    order = body_order(ordering, [""] * len(parents), parents)
    rank = {body: i for i, body in enumerate(order)}
    return sorted(range(len(names)), key=lambda joint: rank[bodies[joint]])


def listed_order(what: str, wanted: Sequence[str], names: Sequence[str]) -> list[int]:
    """Positions of names in the order of a list.

    Raises:
        InvalidValueError: the list has not each name once.
    """
    listed = list(wanted)
    missing = [name for name in names if name not in listed]
    unknown = [name for name in listed if name not in names]
    twice = [name for i, name in enumerate(listed) if name in listed[:i]]
    for problem, found in (("lacks", missing), ("has unknown", unknown), ("repeats", twice)):
        if found:
            raise InvalidValueError(
                what,
                listed,
                f"each of {list(names)} once, or one of {sorted(CONVENTIONS)}",
                f"It {problem} {', '.join(map(repr, found))}.",
            )
    return [list(names).index(name) for name in listed]


def _convention(what: str, ordering: str) -> str:
    if ordering not in CONVENTIONS:
        raise InvalidValueError(
            what, ordering, f"None, a list of names, or one of {sorted(CONVENTIONS)}"
        )
    return CONVENTIONS[ordering]
