"""Arrays that are Warp arrays and tensors at once: one memory, whichever way it is used."""

from __future__ import annotations

import copy
import gc
import operator
import pickle

import numpy as np
import pytest
import warp as wp

from usdsim.core.errors import UnsupportedError
from usdsim.views import usable as module
from usdsim.views.memory import part_of
from usdsim.views.usable import UsableArray, usable

torch = pytest.importorskip("torch")

ROWS = np.arange(1.0, 13.0, dtype=np.float32).reshape(4, 3)


@pytest.fixture
def points() -> UsableArray:
    return usable(wp.array(ROWS, dtype=wp.vec3f, device="cpu"))


def test_the_same_object_and_memory(points):
    assert isinstance(points, wp.array) and points.warp is points
    assert points.shape == (4,) and points.torch.shape == (4, 3)
    points[1:3, 2] = -1.0
    assert (points.numpy()[1:3, 2] == -1.0).all()
    points.fill_(7.0)
    assert (points.torch == 7.0).all()
    points[points.torch.new_tensor([0, 3]).long()] = ROWS[:2]
    np.testing.assert_array_equal(points.numpy()[[0, 3]], ROWS[:2])


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge"]
)
@pytest.mark.parametrize("other", [2.0, np.float32(3.0), ROWS[::-1].copy(), torch.ones(4, 3)])
def test_operators_are_those_of_numpy(points, name: str, other):
    function = getattr(operator, name)
    plain = other.numpy() if isinstance(other, torch.Tensor) else other
    for found, expected in (
        (function(points, other), function(ROWS, plain)),
        (function(other, points), function(plain, ROWS)),
    ):
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)
    np.testing.assert_array_equal(points.numpy(), ROWS)


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"])
@pytest.mark.parametrize("other", [2.0, ROWS[::-1].copy(), torch.full((4, 3), 3.0)])
def test_operators_in_place_write_the_array(points, name: str, other):
    function, memory = getattr(operator, name), points.torch
    plain = other.numpy() if isinstance(other, torch.Tensor) else other
    expected = function(ROWS.copy(), plain)
    assert function(points, other) is points and points.torch is memory
    np.testing.assert_allclose(points.numpy(), expected, rtol=1e-6)


def test_functions_of_torch_take_it(points):
    assert torch.norm(points).item() == pytest.approx(np.linalg.norm(ROWS))
    both = torch.cat([points, points.clone()], dim=0)
    np.testing.assert_array_equal(both.numpy(), np.concatenate([ROWS, ROWS]))
    np.testing.assert_array_equal((-points).numpy(), -ROWS)
    np.testing.assert_array_equal(points.mean(dim=0).numpy(), ROWS.mean(axis=0))
    assert [row.sum().item() for row in points] == ROWS.sum(axis=1).tolist()
    clone = points.clone()
    clone[:] = 0.0
    np.testing.assert_array_equal(points.numpy(), ROWS)


@wp.kernel
def double(values: wp.array(dtype=wp.vec3f), out: wp.array(dtype=wp.vec3f)):
    i = wp.tid()
    out[i] = 2.0 * values[i]


def test_kernels_and_numpy_take_it(points):
    out = usable(wp.zeros(4, dtype=wp.vec3f, device="cpu"))
    wp.launch(double, dim=4, inputs=[points], outputs=[out], device="cpu")
    np.testing.assert_array_equal(out.numpy(), 2.0 * ROWS)
    np.testing.assert_array_equal(np.asarray(points), ROWS)
    np.testing.assert_array_equal(ROWS - np.asarray(points), 0.0)
    np.testing.assert_array_equal(wp.clone(points).numpy(), ROWS)


def test_copies_are_arrays_and_what_was_pickled_is_a_tensor(points, tmp_path):
    twin, same = copy.deepcopy({"points": points})["points"], copy.copy(points)
    assert type(twin) is type(same) is UsableArray and twin.dtype is points.dtype
    stored = pickle.dumps(points)
    torch.save(points, tmp_path / "points.pt")
    points.zero_()
    np.testing.assert_array_equal(twin.numpy(), ROWS)
    assert (same.numpy() == 0.0).all() and (points.torch.data_ptr() == same.torch.data_ptr())
    for loaded in (pickle.loads(stored), torch.load(tmp_path / "points.pt")):
        assert type(loaded) is torch.Tensor
        np.testing.assert_array_equal(loaded.numpy(), ROWS)


def test_without_torch_what_was_pickled_is_an_array_of_numpy(points, monkeypatch):
    monkeypatch.setattr(module, "_has_torch", lambda: False)
    loaded = pickle.loads(pickle.dumps(points))
    assert type(loaded) is np.ndarray
    np.testing.assert_array_equal(loaded, ROWS)


def test_without_torch_it_is_a_warp_array(points, monkeypatch):
    monkeypatch.setattr(module, "_has_torch", lambda: False)
    assert isinstance(points[1:], wp.array) and points[1:].shape == (3,)
    with pytest.raises(AttributeError, match="unsqueeze"):
        _ = points.unsqueeze
    with pytest.raises(UnsupportedError, match="pip install torch"):
        _ = points.torch


def test_methods_that_both_have_are_told_apart_by_their_arguments():
    array = usable(wp.array(np.arange(12.0).reshape(3, 4), dtype=wp.float32, device="cpu"))
    assert array.view(wp.int32).dtype is wp.int32
    assert array.view(-1, 2, 2).shape == (3, 2, 2) and array.view((6, 2)).shape == (6, 2)
    assert array.view(torch.int32).dtype is torch.int32
    assert isinstance(array.reshape((4, 3)), wp.array) and array.reshape(-1, 6).shape == (2, 6)
    assert isinstance(array.flatten(), wp.array) and array.flatten(0, 1).shape == (12,)
    assert isinstance(array.transpose(), wp.array) and array.transpose(0, 1).shape == (4, 3)
    assert isinstance(array.transpose((1, 0)), wp.array)


@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize("kept", ["torch", "numpy"])
def test_arrays_that_are_dropped_give_their_memory_back(part: bool, kept: str):
    freed = []
    numbers = np.arange(12, dtype=np.float32)
    whole = wp.array(
        ptr=numbers.ctypes.data,
        shape=(12,),
        dtype=wp.float32,
        device="cpu",
        deleter=lambda pointer, size: freed.append(pointer),
    )
    array = usable(part_of(whole, wp.float32, (3, 4), (16, 4)) if part else whole)
    del whole
    seen = array.torch if kept == "torch" else array.numpy()
    assert array.torch is array.torch
    del array
    gc.collect()
    assert not freed and seen.flatten()[5] == 5.0  # who has a view has the memory
    del seen
    gc.collect()
    assert freed == [numbers.ctypes.data]
