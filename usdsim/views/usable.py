"""Usable arrays: Warp arrays that are torch tensors as well, where torch is installed.

Both are the same memory: nothing is copied, and what one writes the other reads. Kernels, NumPy and
Warp's own functions take it as the Warp array that it is; its `shape` and `dtype` are Warp's, so
that an array of ``vec3f`` has no axis for the three numbers, which the tensor has.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from usdsim.core.errors import UnsupportedError
from usdsim.engine import device

__all__ = ["UsableArray", "usable", "usable_fields"]

_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor"),
)
_IN_PLACE = tuple(name for name in _BINARY if name != "matmul")
_COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")
_UNARY = ("neg", "pos", "abs", "invert")


@cache
def _has_torch() -> bool:
    return find_spec("torch") is not None


def _tensors(value: Any) -> Any:
    """A value with the tensors of the arrays in it."""
    if isinstance(value, UsableArray):
        return value.torch
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(_tensors(entry) for entry in value)
    return value


class _Memory:
    """Memory of an array, by the only name that NumPy finds here.

    It asks for others first, which `UsableArray` would look for among those of tensors.
    """

    __slots__ = ("__array_interface__", "_owner")

    def __init__(self, owner: wp.array):
        self.__array_interface__: Any = owner.__array_interface__
        self._owner = owner


class UsableArray(wp.array):
    """A Warp array that torch's functions, indices and operators take as a tensor.

    `usable` makes it of a Warp array. Everything torch's tensors have and Warp's arrays have not,
    such as ``clone()``, ``norm()`` or ``unsqueeze()``, is that of `torch`; methods that both have
    are told apart by their arguments.
    """

    if TYPE_CHECKING:
        # Type checkers do not see what is set in loops below.
        def _with_other(self, other: Any) -> Any: ...
        def _alone(self) -> Any: ...

        __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = _with_other
        __pow__ = __matmul__ = __and__ = __or__ = __xor__ = _with_other
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = _with_other
        __rpow__ = __rmatmul__ = __rand__ = __ror__ = __rxor__ = _with_other
        __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = _with_other
        __ipow__ = __iand__ = __ior__ = __ixor__ = _with_other
        __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _with_other
        __neg__ = __pos__ = __abs__ = __invert__ = _alone

    @property
    def torch(self) -> Any:
        """The tensor over the same memory, with an axis for the numbers of vectors and poses.

        Raises:
            UnsupportedError: torch is not installed.
        """
        known = self.__dict__.get("_tensor")
        if known is None:
            if not _has_torch():
                raise UnsupportedError(
                    "array", "torch is not installed, which tensors need. Run: pip install torch"
                )
            known = self.__dict__["_tensor"] = wp.to_torch(self._keeper())
        return known

    def numpy(self, **options: Any) -> Any:
        """The numbers as a NumPy array: the same memory on the CPU, a copy from a GPU."""
        known = self.__dict__.get("_numbers")
        if known is None:
            if not (self.ptr and device.is_shared(self.device.alias)):
                return super().numpy(**options)
            # As Warp does, without its streams: a fifth of the time.
            known = self.__dict__["_numbers"] = np.asarray(_Memory(self._keeper()))
        # What a caller does to shape or flags is no business of the next one.
        return known.view()

    def _keeper(self) -> wp.array:
        """An array of its own over the memory, which owns it in place of this one from now on.

        What is kept here and refers to the memory must not refer to this array: neither torch nor
        NumPy shows Python's collector what a tensor refers to, so that both would live for ever.
        """
        keeper = self.__dict__.get("_kept_by")
        if keeper is None:
            keeper = wp.array.__new__(wp.array)
            vars(keeper).update(vars(self))
            self.deleter, self.__dict__["_kept_by"] = None, keeper
        return keeper

    def view(self, *form: Any) -> Any:
        """View as another Warp type, or as a tensor of another shape or torch type."""
        if len(form) == 1 and (isinstance(form[0], type) or not _has_torch()):
            return super().view(*form)
        return self.torch.view(*form)

    def reshape(self, *shape: Any) -> Any:
        """Array of the shape that one argument says, or a tensor of that of several."""
        return super().reshape(*shape) if len(shape) == 1 else self.torch.reshape(*shape)

    def flatten(self, *axes: int) -> Any:
        """Array of one axis, or a tensor whose axes from one to another are one."""
        return self.torch.flatten(*axes) if axes else super().flatten()

    def transpose(self, *axes: Any) -> Any:
        """Array with its axes in another order, or a tensor with two axes exchanged."""
        return self.torch.transpose(*axes) if len(axes) == 2 else super().transpose(*axes)

    @property
    def warp(self) -> wp.array:
        """The array itself, which is a Warp array."""
        return self

    @classmethod
    def __torch_function__(
        cls,
        function: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a function of torch with the tensors of the arrays among its arguments."""
        named = {name: _tensors(value) for name, value in (kwargs or {}).items()}
        return function(*_tensors(args), **named)

    def __getattr__(self, name: str) -> Any:
        """Return what tensors have and Warp's arrays have not."""
        if name.startswith("_") or not _has_torch():
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.torch, name)

    def __getitem__(self, key: Any) -> Any:
        """Part of the tensor, or of the Warp array where torch is not installed."""
        if not _has_torch():
            return super().__getitem__(key)
        return self.torch[_tensors(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a part, with what torch and NumPy take as indices and values."""
        if not _has_torch():
            super().__setitem__(key, value)
            return
        self.torch[_tensors(key)] = _operand(self, value)

    def __iter__(self) -> Iterator[Any]:
        """Rows, as `__getitem__` gives them."""
        return (self[row] for row in range(len(self)))

    def __copy__(self) -> UsableArray:
        """Return another array over the same memory."""
        return usable(self.view(self.dtype))

    def __deepcopy__(self, memo: Any) -> UsableArray:
        """Return an array of the same numbers in memory of its own."""
        return usable(wp.clone(self))

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the numbers: what comes back is a tensor, or NumPy's where torch is missing."""
        numbers = self.torch.clone() if _has_torch() else np.array(self.numpy())
        return numbers.__reduce_ex__(protocol)


def _operand(array: UsableArray, value: Any) -> Any:
    """The other side of an operator, as torch takes it."""
    value = _tensors(value)
    if isinstance(value, wp.array):
        return wp.to_torch(value)
    if isinstance(value, np.ndarray | np.generic | list | tuple):
        return array.torch.new_tensor(np.asarray(value))
    return value


def _binary(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: UsableArray, other: Any) -> Any:
        if not _has_torch() and name in ("eq", "ne"):
            return NotImplemented
        return function(self.torch, _operand(self, other))

    apply.__doc__ = f"Torch's ``{name}`` of the tensor and a number, array or tensor."
    return apply


def _reflected(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(self: UsableArray, other: Any) -> Any:
        return function(_operand(self, other), self.torch)

    apply.__doc__ = f"Torch's ``{name}`` of a number, array or tensor and the tensor."
    return apply


def _in_place(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    own = getattr(wp.array, f"__i{name}__", None)

    def apply(self: UsableArray, other: Any) -> Any:
        if not _has_torch():
            return NotImplemented if own is None else own(self, other)
        function(self.torch, _operand(self, other))
        return self

    apply.__doc__ = f"Torch's ``{name}`` with a number, array or tensor, in the array's memory."
    return apply


def _unary(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def apply(self: UsableArray) -> Any:
        return function(self.torch)

    apply.__doc__ = f"Torch's ``{name}`` of the tensor."
    return apply


for _name in (*_BINARY, *_COMPARED):
    _dunder = f"__{_name}__"
    setattr(UsableArray, _dunder, _binary(_name, getattr(operator, _dunder)))
# Arrays stay keys of dictionaries and members of sets, by identity.
UsableArray.__hash__ = object.__hash__  # type: ignore[method-assign]
for _name in _BINARY:
    _dunder = f"__{_name}__"
    setattr(UsableArray, f"__r{_name}__", _reflected(_name, getattr(operator, _dunder)))
for _name in _IN_PLACE:
    _dunder = f"__i{_name}__"
    setattr(UsableArray, _dunder, _in_place(_name, getattr(operator, _dunder)))
for _name in _UNARY:
    _dunder = f"__{_name}__"
    setattr(UsableArray, _dunder, _unary(_name, getattr(operator, _dunder)))


def usable(array: wp.array) -> UsableArray:
    """The same array object, which is a `UsableArray` from now on.

    Args:
        array: a Warp array.
    """
    if type(array) is wp.array:
        array.__class__ = UsableArray
    return array


def usable_fields(data: Any) -> None:
    """Make the arrays a dataclass holds usable, and those in mappings that it holds.

    Args:
        data: an instance; what is not an array in it stays as it is.
    """
    if is_dataclass(data):
        for field in fields(data):
            value = getattr(data, field.name)
            for array in value.values() if isinstance(value, dict) else (value,):
                if type(array) is wp.array:
                    usable(array)
