"""Signals: noise, modifiers, delays and histories, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from usdsim.core.errors import InvalidValueError  # noqa: E402
from usdsim.envs.signals import modifiers, noise  # noqa: E402
from usdsim.envs.signals.history import DelayLine, History  # noqa: E402
from usdsim.envs.streams import Streams  # noqa: E402

ROWS = 3


@given(
    steps=st.integers(1, 8),
    resets=st.lists(st.tuples(st.integers(0, 7), st.integers(0, ROWS - 1)), max_size=4),
    length=st.integers(1, 4),
)
@settings(max_examples=40)
def test_history_is_the_last_values_since_the_reset(steps, resets, length):
    history, past = History(length, ROWS, "cpu"), [[] for _ in range(ROWS)]
    for step in range(steps):
        for when, row in resets:
            if when == step:
                history.reset(torch.tensor([row]))
                past[row].clear()
        values = np.arange(ROWS) + 10.0 * step
        for row in range(ROWS):
            past[row] = [*(past[row] or [values[row]] * length)[1:], values[row]]
        found = history.append(torch.tensor(values)[:, None])
        np.testing.assert_array_equal(found[..., 0].numpy(), past)


@given(low=st.integers(0, 2), spread=st.integers(0, 3), reset=st.integers(0, 6))
@settings(max_examples=30)
def test_delays_are_those_that_were_drawn(low, spread, reset):
    line = DelayLine(low, low + spread, Streams(ROWS, "cpu", 1), ROWS, "cpu")
    line.reset()
    assert bool(((line.lags >= low) & (line.lags <= low + spread)).all())
    begin = np.zeros(ROWS, int)
    for step in range(8):
        if step == reset:
            line.reset(torch.tensor([1]))
            begin[1] = step
        found = line.compute(torch.full((ROWS, 2), float(step)))
        expected = np.maximum(step - line.lags.numpy(), begin)
        np.testing.assert_array_equal(found[:, 0].numpy(), expected)


def test_rows_that_do_not_take_part_keep_their_lines():
    line, history = DelayLine(1, 1, Streams(2, "cpu", 0), 2, "cpu"), History(2, 2, "cpu")
    one = torch.tensor([1])
    for values in ([1.0, 1.0], [2.0, 2.0]):
        line.compute(torch.tensor(values)[:, None])
        history.append(torch.tensor(values)[:, None])
    assert line.compute(torch.tensor([[9.0], [3.0]]), one)[:, 0].tolist() == [1.0, 2.0]
    assert history.append(torch.tensor([[9.0], [3.0]]), one)[..., 0].tolist() == [[1, 2], [2, 3]]


def test_noise_and_its_operations():
    streams, data = Streams(4000, "cpu", 0), torch.full((4000, 2), 3.0)
    constant = noise.ConstantNoiseCfg(bias=0.5)
    for operation, expected in (("add", 3.5), ("scale", 1.5), ("abs", 0.5)):
        cfg = constant.replace(operation=operation)
        assert bool((cfg.func(data, cfg, streams) == expected).all())
    flat = noise.UniformNoiseCfg(n_min=(-1.0, 0.0), n_max=(1.0, 4.0))
    found = flat.func(data, flat, streams) - data
    np.testing.assert_allclose(found.mean(0), [0.0, 2.0], atol=0.07)
    assert float(found.min()) >= -1.0 and float(found.max()) <= 4.0
    bell = noise.GaussianNoiseCfg(mean=1.0, std=0.5, operation="scale")
    found = bell.func(data, bell, streams) / 3.0
    assert float(found.mean()) == pytest.approx(1.0, abs=0.03)
    assert float(found.std()) == pytest.approx(0.5, abs=0.03)
    with pytest.raises(InvalidValueError, match="add, scale or abs"):
        cfg = constant.replace(operation="times")
        cfg.func(data, cfg, streams)


def test_biases_last_for_an_episode():
    cfg = noise.NoiseModelWithAdditiveBiasCfg(
        noise_cfg=noise.ConstantNoiseCfg(bias=0.0), bias_noise_cfg=noise.UniformNoiseCfg()
    )
    model = cfg.class_type(cfg, Streams(3, "cpu", 0), 3, "cpu")
    zero = torch.zeros(3, 2)
    first = model(zero)
    assert torch.equal(model(zero), first) and len(first.unique()) == 6
    model.reset(torch.tensor([1]))
    second = model(zero)
    assert torch.equal(second[[0, 2]], first[[0, 2]]) and not torch.equal(second[1], first[1])
    assert torch.equal(model(zero[[1]], torch.tensor([1])), second[[1]])
    shared = cfg.replace(sample_bias_per_component=False)
    rows = shared.class_type(shared, Streams(3, "cpu", 0), 3, "cpu")(zero)
    assert torch.equal(rows[:, 0], rows[:, 1])


def test_filters_and_integrals_equal_their_recursions():
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(12, 2))
    a, b = [0.4, -0.1], [0.5, 0.2, 0.1]
    cfg = modifiers.DigitalFilterCfg(A=a, B=b)
    filtered = cfg.func(cfg, (2,), "cpu")
    outputs: list[np.ndarray] = []
    for i in range(12):
        expected = sum(b[j] * inputs[i - j] for j in range(3) if i >= j)
        expected = expected - sum(a[j] * outputs[i - 1 - j] for j in range(2) if i >= 1 + j)
        outputs.append(expected)
        found = filtered(torch.tensor(inputs[i], dtype=torch.float32))
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-5)
    cfg = modifiers.IntegratorCfg(dt=0.1)
    integral = cfg.func(cfg, (2,), "cpu")
    padded = np.vstack([np.zeros(2), inputs])
    for i in range(12):
        expected = np.trapezoid(padded[: i + 2], dx=0.1, axis=0)
        found = integral(torch.tensor(inputs[i], dtype=torch.float32))
        np.testing.assert_allclose(found.numpy(), expected, atol=1e-5)
    integral.reset(torch.tensor([0]))
    found = integral(torch.tensor([1.0, 0.0])).numpy()
    assert found[0] == pytest.approx(0.05) and found[1] != 0.0


def test_simple_modifiers():
    data = torch.tensor([-2.0, 0.5, 2.0])
    assert modifiers.scale(data, 2.0).tolist() == [-4.0, 1.0, 4.0]
    assert modifiers.clip(data, (-1.0, None)).tolist() == [-1.0, 0.5, 2.0]
    assert modifiers.bias(data, 1.0).tolist() == [-1.0, 1.5, 3.0]
