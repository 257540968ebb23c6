"""Policies of older versions of rsl_rl, written by programs and read again."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from usdsim.core.errors import InvalidValueError  # noqa: E402


class Shift(torch.nn.Module):
    """A normalizer."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - 1.0


def policy(kind=None, part="actor"):
    torch.manual_seed(0)
    actor = torch.nn.Sequential(torch.nn.Linear(4 if kind else 3, 2), torch.nn.Tanh())
    made = SimpleNamespace(**{part: actor}, is_recurrent=kind is not None)
    if kind:
        memory = {"actor": "memory_a", "student": "memory_s"}[part]
        setattr(made, memory, SimpleNamespace(rnn=getattr(torch.nn, kind)(3, 4)))
    return made


OBSERVATIONS = torch.tensor([[0.3, -0.2, 0.9]])


@pytest.mark.parametrize(("kind", "part"), [(None, "actor"), ("LSTM", "student"), ("GRU", "actor")])
def test_scripts_act_as_their_policies_and_forget_when_told(installed, tmp_path, kind, part):
    from isaaclab_rl.rsl_rl import export_policy_as_jit

    made = policy(kind, part)
    export_policy_as_jit(made, Shift(), path=str(tmp_path / "new"), filename="walk.pt")
    found = torch.jit.load(str(tmp_path / "new" / "walk.pt"))
    seen, actor = Shift()(OBSERVATIONS), getattr(made, part)
    if kind is None:
        wanted = [actor(seen)] * 2
    else:
        rnn = getattr(made, "memory_a" if part == "actor" else "memory_s").rnn
        wanted = actor(rnn(seen.repeat(2, 1)[:, None])[0][:, 0]).split(1)
    for _ in range(2):
        for each in wanted:
            torch.testing.assert_close(found(OBSERVATIONS), each)
        found.reset()


@pytest.mark.parametrize(("kind", "names"), [(None, ""), ("LSTM", "hc"), ("GRU", "h")])
def test_onnx_files_act_as_their_policies(installed, tmp_path, kind, names):
    pytest.importorskip("onnx")
    from isaaclab_rl.rsl_rl import export_policy_as_onnx
    from onnx.reference import ReferenceEvaluator

    made = policy(kind)
    export_policy_as_onnx(made, path=str(tmp_path), normalizer=Shift(), filename="walk.onnx")
    run = ReferenceEvaluator(str(tmp_path / "walk.onnx"))
    assert run.input_names == ["obs", *(f"{name}_in" for name in names)]
    assert run.output_names == ["actions", *(f"{name}_out" for name in names)]
    zeros = {f"{name}_in": np.zeros((1, 1, 4), np.float32) for name in names}
    out = run.run(None, {"obs": OBSERVATIONS.numpy(), **zeros})
    seen = Shift()(OBSERVATIONS)
    inner = made.memory_a.rnn(seen[None])[0][0] if kind else seen
    np.testing.assert_allclose(out[0], made.actor(inner).detach().numpy(), atol=1e-6)


def test_programs_derive_exporters_of_their_own(installed):
    from isaaclab_rl.rsl_rl.exporter import _OnnxPolicyExporter

    class Timed(_OnnxPolicyExporter):
        def forward(self, x, step):
            return self.actor(self.normalizer(x)), step

    made = Timed(policy(), None, verbose=True)
    acted, step = made(OBSERVATIONS, 3)
    torch.testing.assert_close(acted, policy().actor(OBSERVATIONS))
    assert (step, made.verbose, made.actor[0].in_features) == (3, True, 3)


def test_policies_without_a_part_that_acts_are_refused(installed, tmp_path):
    from isaaclab_rl.rsl_rl import export_policy_as_jit

    with pytest.raises(InvalidValueError, match="an actor or a student"):
        export_policy_as_jit(SimpleNamespace(is_recurrent=False), None, path=str(tmp_path))
