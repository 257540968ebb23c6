"""Precision overloads: kernels written in double precision, in the single one of devices.

Warp's generics are not used for this. Overloads of a generic kernel share its module, which is
compiled anew whenever one is used for the first time: twelve small kernels in both precisions took
4.5 times as long as in two modules. Declared beforehand, all of them are compiled for both
precisions wherever one is used, and a launch that has to find its overload takes 1.6 to 2.8 times
as long.
"""

from __future__ import annotations

import ast
import functools
import types
from typing import Any

import warp as wp

__all__ = ["single_precision"]

_VEC6D = wp.types.vector(6, wp.float64)
_VEC6F = wp.types.vector(6, wp.float32)
_TYPES: dict[Any, Any] = {
    wp.float64: wp.float32,
    wp.vec3d: wp.vec3f,
    wp.vec4d: wp.vec4f,
    wp.mat33d: wp.mat33f,
    wp.quatd: wp.quatf,
    wp.transformd: wp.transformf,
    wp.spatial_vectord: wp.spatial_vectorf,
    _VEC6D: _VEC6F,
}
_NAMES = {
    f"{name}{double}": f"{name}{single}"
    for names, double, single in (
        (("float",), "64", "32"),
        (("vec2", "vec3", "vec4", "mat33", "quat", "transform", "spatial_vector"), "d", "f"),
    )
    for name in names
}


class _Rename(ast.NodeTransformer):
    """Replaces Warp's double types in a kernel's source."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """``wp.vec3d`` becomes ``wp.vec3f``."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "wp":
            node.attr = _NAMES.get(node.attr, node.attr)
        return node


@functools.cache
def single_precision(kernel: wp.Kernel) -> wp.Kernel:
    """The kernel with every double type replaced by its single one; itself if it has none.

    All of one module go to one module of their own, so that neither is compiled where only the
    other is used. So do the functions they call.
    """
    function = kernel.func
    annotations = {name: _swap(value) for name, value in function.__annotations__.items()}
    if all(annotations[name] is value for name, value in function.__annotations__.items()):
        return kernel
    module = wp.get_module(f"{function.__module__}.single")
    module.options.update(kernel.module.options)
    return wp.Kernel(_twin(function), key=kernel.key, module=module, code_transformers=[_Rename()])


@functools.cache
def _twin_function(function: wp.Function) -> wp.Function:
    """The same for a function that kernels call."""
    return wp.Function(
        func=_twin(function.func),
        key=function.key,
        namespace="",
        module=wp.get_module(f"{function.func.__module__}.single"),
        value_func=None,
        code_transformers=[_Rename()],
    )


def _twin(function: Any) -> Any:
    """A Python function with its annotations, and the names it uses, in single precision."""
    scope = dict(function.__globals__)
    for name in function.__code__.co_names:
        if name in scope:
            scope[name] = _swap(scope[name])
    twin = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    twin.__annotations__ = {name: _swap(v) for name, v in function.__annotations__.items()}
    twin.__doc__, twin.__module__ = function.__doc__, function.__module__
    twin.__qualname__ = function.__qualname__
    return twin


def _swap(value: Any) -> Any:
    if isinstance(value, wp.array):
        dtype = _swap(value.dtype)
        return value if dtype is value.dtype else wp.array(dtype=dtype, ndim=value.ndim)
    if isinstance(value, wp.Function) and not value.is_builtin():
        return _twin_function(value)
    if isinstance(value, type):
        return _TYPES.get(value, value)
    return value
