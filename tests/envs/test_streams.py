"""Random numbers: a stream for each environment, independent of all others."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import warp as wp  # noqa: E402

from usdsim.core.errors import InvalidValueError  # noqa: E402
from usdsim.envs.streams import Streams  # noqa: E402
from usdsim.views.usable import usable  # noqa: E402


def test_the_same_seed_gives_the_same_numbers_in_any_number_of_environments():
    few, many = Streams(3, "cpu", 5), Streams(50, "cpu", 5)
    assert torch.equal(few.uniform(-1.0, 1.0, (2, 4)), many.uniform(-1.0, 1.0, (2, 4))[:3])
    assert not torch.equal(few.uniform(0, 1, 4), Streams(3, "cpu", 6).uniform(0, 1, 4))


def test_what_others_draw_changes_nothing():
    alone, among = Streams(3, "cpu", 5), Streams(3, "cpu", 5)
    among.normal(size=7, env_ids=torch.tensor([0, 2]))
    one = torch.tensor([1])
    assert torch.equal(alone.uniform(0, 1, 4, one), among.uniform(0, 1, 4, one))
    assert not torch.equal(alone.uniform(0, 1, 4), among.uniform(0, 1, 4))


def test_environments_may_be_chosen_by_indices_of_any_kind():
    expected = Streams(4, "cpu", 5).uniform(0.0, 1.0, 3, torch.tensor([3, 1]))
    array = usable(wp.array([3, 1], dtype=wp.int32, device="cpu"))
    for ids in (torch.tensor([3, 1], dtype=torch.int32), array, [3, 1]):
        assert torch.equal(Streams(4, "cpu", 5).uniform(0.0, 1.0, 3, ids), expected)
    odd = slice(1, None, 2), torch.tensor([False, True, False, True]), [1, -1]
    for ids in odd:
        found = Streams(4, "cpu", 5).uniform(0.0, 1.0, 3, ids)
        assert torch.equal(found, expected.flip(0))
    with pytest.raises(IndexError):
        Streams(4, "cpu", 5).uniform(0.0, 1.0, 3, [4])


def test_drawing_in_parts_is_drawing_at_once():
    whole, parts = Streams(4, "cpu", 1), Streams(4, "cpu", 1)
    expected = whole.uniform(0.0, 1.0, 6)
    found = torch.cat([parts.uniform(0.0, 1.0, 2), parts.uniform(0.0, 1.0, 4)], dim=1)
    assert torch.equal(found, expected)


def test_distributions():
    streams = Streams(20000, "cpu", 0)
    flat = streams.uniform(torch.tensor([1.0, -2.0]), torch.tensor([3.0, 2.0]), 2).numpy()
    assert flat[:, 0].min() >= 1.0 and flat[:, 0].max() < 3.0
    np.testing.assert_allclose(flat.mean(0), [2.0, 0.0], atol=0.03)
    np.testing.assert_allclose(flat.std(0), np.array([2.0, 4.0]) / np.sqrt(12), atol=0.03)
    bell = streams.normal(1.0, 2.0, 1).numpy()
    assert bell.mean() == pytest.approx(1.0, abs=0.06) and bell.std() == pytest.approx(
        2.0, abs=0.06
    )
    logs = streams.log_uniform(0.1, 10.0, 1).log10().numpy()
    assert logs.mean() == pytest.approx(0.0, abs=0.03) and np.abs(logs).max() <= 1.0 + 1e-6
    whole = streams.integers(2, 5, 1)
    shares = torch.bincount(whole.flatten())[2:].numpy() / len(whole)
    np.testing.assert_allclose(shares, 1 / 3, atol=0.02)
    # Neighbouring environments, and neighbouring numbers of one, are not correlated.
    both = streams.uniform(0.0, 1.0, 2).numpy()
    assert abs(np.corrcoef(both[:, 0], both[:, 1])[0, 1]) < 0.03
    assert abs(np.corrcoef(both[:-1, 0], both[1:, 0])[0, 1]) < 0.03


def test_streams_continue_from_their_state():
    streams = Streams(3, "cpu", 9)
    streams.uniform(0, 1, 5)
    state = streams.state_dict()
    expected = streams.normal(size=3)
    other = Streams(3, "cpu", 0)
    other.load_state_dict(state)
    assert torch.equal(other.normal(size=3), expected)


def test_several_intervals_are_drawn_from_at_once():
    intervals = [(-1.0, 1.0), (2, 3), (5.0, 5.0)]
    some = torch.tensor([2, 0])
    first, second = Streams(3, "cpu", 1), Streams(3, "cpu", 1)
    drawn = first.within(intervals, some)
    low, high = torch.tensor([-1.0, 2.0, 5.0]), torch.tensor([1.0, 3.0, 5.0])
    assert torch.equal(drawn, second.uniform(low, high, 3, some))
    assert (drawn[:, 2] == 5.0).all() and (drawn[:, 1] >= 2.0).all()


@pytest.mark.parametrize("interval", [(0.1,), (0.1, 0.2, 0.3), 0.1, ("a", "b")])
def test_intervals_are_two_numbers(interval):
    streams = Streams(2, "cpu", 0)
    for draw in (lambda: streams.between(interval, 3), lambda: streams.within([interval])):
        with pytest.raises(InvalidValueError, match=r"interval of random numbers is .*two numbers"):
            draw()
