"""Training: reproducible, resumed bit by bit; policies in files do what the network did."""

from __future__ import annotations

import itertools
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from free_ports import free_port

torch = pytest.importorskip("torch")
pytest.importorskip("rsl_rl")
from usdsim.actuators import DenseLayer, Network  # noqa: E402
from usdsim.cli.main import main  # noqa: E402
from usdsim.core.errors import (  # noqa: E402
    FileError,
    InvalidValueError,
    ShapeError,
    UnknownNameError,
    UnsupportedError,
)
from usdsim.learning import Policy, evaluate, load_policy, save_policy, train  # noqa: E402
from usdsim.tasks import find_task, make_env  # noqa: E402

pytestmark = pytest.mark.usefixtures("simulation_ends")


def agent(iterations: int):
    made = find_task("cartpole").agent_cfg()
    return made.replace(iterations=iterations, save_interval=2, num_steps_per_env=8)


def weights(policy: Policy) -> list[np.ndarray]:
    return [array for layer in policy.network.layers for array in (layer.weight, layer.bias)]


def test_training_is_reproducible_and_resumes_bit_by_bit(tmp_path):
    def learned(folder, **more) -> tuple[Policy, list[int]]:
        seen: list[int] = []
        with make_env("cartpole", num_envs=8, seed=4) as env:
            policy = train(
                env, agent(4), folder, seed=4, report=lambda p: seen.append(p.iteration), **more
            )
        return policy, seen

    whole, seen = learned(tmp_path / "a")
    again, _ = learned(None)
    resumed, rest = learned(None, resume=tmp_path / "a" / "checkpoint_2.pt")
    assert seen == [1, 2, 3, 4] and rest == [3, 4]
    for other in (again, resumed):
        for found, expected in zip(weights(other), weights(whole), strict=True):
            np.testing.assert_array_equal(found, expected)
    assert whole.metadata == {"iterations": 4, "seed": 4}
    with make_env("cartpole", num_envs=8, seed=4) as env:
        checkpoint = tmp_path / "a" / "checkpoint_2.pt"
        with pytest.raises(InvalidValueError, match="seed is 5; allowed: 4"):
            train(env, agent(4), seed=5, resume=checkpoint)
        many = torch.load(checkpoint)
        many["environment"]["streams"]["counters"] = torch.zeros(3)
        torch.save(many, tmp_path / "many.pt")
        with pytest.raises(InvalidValueError, match="environments is 8; allowed: 3"):
            train(env, agent(4), seed=4, resume=tmp_path / "many.pt")
        with pytest.raises(FileError, match="no checkpoint"):
            train(env, agent(4), resume=tmp_path / "none.pt")
        checkpoint.write_bytes(b"no checkpoint")
        with pytest.raises(FileError, match="Cannot read checkpoint"):
            train(env, agent(4), resume=checkpoint)


def test_training_that_time_ends_can_be_resumed(tmp_path):
    """Within a segment, too: what was learned stays, and the iterations go on."""
    with make_env("cartpole", num_envs=4, seed=4) as env:
        kept = train(env, agent(4), tmp_path, seed=4, max_seconds=1e-6)
    (checkpoint,) = tmp_path.glob("checkpoint_*.pt")
    assert checkpoint.name == "checkpoint_1.pt"  # A segment has two iterations.
    assert kept.metadata["iterations"] == 1
    seen: list[int] = []
    with make_env("cartpole", num_envs=4, seed=4) as env:
        same = train(env, agent(1), seed=4, resume=checkpoint)
        train(env, agent(4), seed=4, resume=checkpoint, report=lambda p: seen.append(p.iteration))
    for found, expected in zip(weights(same), weights(kept), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert seen == [2, 3, 4]


def random_policy() -> Policy:
    rng = np.random.default_rng(0)
    names = ("elu", "tanh", "silu", "relu", "sigmoid", "softsign", "identity")
    sizes = (3, 5, 4, 6, 5, 4, 3, 2)
    layers = tuple(
        DenseLayer(
            rng.normal(size=(n, m)).astype(np.float32), rng.normal(size=n).astype(np.float32), name
        )
        for m, n, name in zip(sizes[:-1], sizes[1:], names, strict=True)
    )
    return Policy(Network(layers, metadata={"task": "none"}))


def test_policies_in_files_do_the_same(tmp_path):
    policy = random_policy()
    seen = np.random.default_rng(1).normal(size=(7, 3)).astype(np.float32)
    expected = policy(seen)
    with torch.no_grad():
        np.testing.assert_allclose(policy.module()(torch.tensor(seen)), expected, atol=1e-6)
    save_policy(tmp_path / "p.npz", policy)
    loaded = load_policy(tmp_path / "p.npz")
    np.testing.assert_array_equal(loaded(seen), expected)
    assert loaded.metadata == {"task": "none"}
    save_policy(tmp_path / "p.pt", policy)
    script = load_policy(tmp_path / "p.pt")
    np.testing.assert_allclose(script(torch.tensor(seen)), expected, 1e-5)
    assert script.metadata == {"task": "none"}
    torch.save({"weights": torch.zeros(3)}, tmp_path / "checkpoint.pt")
    with pytest.raises(FileError, match=r"checkpoint\.pt is not TorchScript.*resumes"):
        load_policy(tmp_path / "checkpoint.pt")
    with pytest.raises(UnsupportedError, match=r"cannot act on observations of shape \(7, 2\)"):
        script(seen[:, :2])
    with pytest.raises(InvalidValueError, match=r"\.npz, \.pt or \.onnx"):
        save_policy(tmp_path / "p.zip", policy)
    with pytest.raises(ShapeError, match=r"\(7, 2\)"):
        policy(seen[:, :2])
    for kind in (loaded, script):  # of what an environment gives, their group
        groups = {"image": seen[:, :2], "policy": torch.tensor(seen)}
        np.testing.assert_allclose(kind(groups), expected, 1e-5)
        with pytest.raises(UnknownNameError, match=r"No group of observations 'policy'.*image"):
            kind({"image": seen})


def test_policies_in_onnx_files_do_the_same(tmp_path, capfd):
    pytest.importorskip("onnxscript")
    pytest.importorskip("onnxruntime")
    policy, path = random_policy(), tmp_path / "p.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        save_policy(path, policy)
    assert not capfd.readouterr().err, "what torch misses for images is told to nobody"
    seen = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
    np.testing.assert_allclose(load_policy(path)(seen), policy(seen), atol=1e-5)
    path.write_bytes(b"none")
    with pytest.raises(FileError, match=r"p\.onnx is not ONNX"):
        load_policy(path)


def test_networks_of_one_row_act_on_many(tmp_path):
    """Exporters that fix the rows at their sample's, and networks with a memory of their own."""
    pytest.importorskip("onnxruntime")
    helper = pytest.importorskip("onnx").helper

    def written(inputs: list[str]) -> Path:
        rows = [helper.make_tensor_value_info(name, 1, [1, 3]) for name in (*inputs, "actions")]
        node = helper.make_node("Neg", inputs[:1], ["actions"])
        graph = helper.make_graph([node], "policy", rows[:-1], rows[-1:])
        opsets = [helper.make_opsetid("", 17)]
        path = tmp_path / "p.onnx"
        made = helper.make_model(graph, opset_imports=opsets, ir_version=8)
        path.write_bytes(made.SerializeToString())
        return path

    seen = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(load_policy(written(["obs"]))(seen), -seen)
    with pytest.raises(InvalidValueError, match="obs, h_in"):
        load_policy(written(["obs", "h_in"]))


def test_evaluations_count_first_episodes():
    with make_env("cartpole", num_envs=4, seed=0, episode_length_s=0.4) as env:
        result = evaluate(env, lambda seen: torch.zeros(4, 1), seed=0)
        assert result.episodes == 4 and result.steps == result.mean_length == 20
        fallen = evaluate(env, lambda seen: torch.full((4, 1), 8.0), seed=0)
        assert fallen.lasted < 1.0 and fallen.mean_length < 20 and fallen.steps <= 20


def test_evaluations_average_measures_while_first_episodes_run():
    with make_env("cartpole", num_envs=4, seed=0, episode_length_s=0.4) as env:
        counted = {"decisions": lambda e: e.episode_length_buf.float()}
        idle = evaluate(env, lambda seen: torch.zeros(4, 1), measures=counted).measures["decisions"]
        # The last of 20 decisions ends the episodes, and what follows belongs to the next ones.
        assert idle.mean == np.mean(range(1, 20)) and idle.last == 19.0
        named = find_task("cartpole").measures()
        result = evaluate(env, lambda seen: torch.zeros(4, 1), measures=named)
        assert 0.0 < result.measures["pole_angle"].mean < 1.2
        lost = {"decisions": lambda e: e.episode_length_buf.float()}
        far = evaluate(env, lambda seen: torch.full((4, 1), 500.0), measures=lost)
        assert far.measures["decisions"].last is None and far.lasted == 0.0


def test_exploration_has_a_limit_that_falls():
    free = agent(10)
    assert free.std_limit(9) == np.inf
    limited = free.replace(init_std=0.8, final_std=0.1, std_fall=(5, 8))
    limits = [limited.std_limit(i) for i in range(11)]
    assert limits[:6] == [0.8] * 6 and limits[8:] == pytest.approx([0.1] * 3)
    np.testing.assert_allclose(limits[6] / limits[5], limits[7] / limits[6])
    seen: list[float] = []
    with make_env("cartpole", num_envs=4, seed=4) as env:
        train(env, limited, seed=4, report=lambda p: seen.append(p.metrics["Policy/std"]))
    assert all(std <= limit * 1.05 for std, limit in zip(seen[:6], limits, strict=False))
    assert seen[8:] == pytest.approx([0.1, 0.1])


def test_watching_steps_in_real_time_and_starts_anew(monkeypatch):
    pytest.importorskip("viser")
    import urllib.request

    from usdsim.learning import watch
    from usdsim.learning.watching import PolicyClock

    def idle(seen):
        return torch.zeros(2, 1)

    with make_env("cartpole", num_envs=2, seed=0) as env:
        clock = PolicyClock(env, idle)
        assert clock.timestep == env.step_dt and clock.num_worlds == 2
        for _ in range(3):
            clock.step()
        assert env.episode_length_buf.tolist() == [3, 3] and clock.time(1) > 0.0
        clock.reset()
        assert env.episode_length_buf.tolist() == [0, 0]
        pages: list[bytes] = []

        def opened(page):
            with urllib.request.urlopen(page, timeout=20) as answer:
                pages.append(answer.read())

        before = env.common_step_counter
        watch(env, idle, 0.2, port=free_port())
        assert env.common_step_counter == before  # no browser shows it
        monkeypatch.setattr(
            "usdsim.learning.watching.run_watched", lambda viewer, seconds: viewer.run(seconds)
        )
        watch(env, idle, 0.5, port=free_port(), opened=opened)
        assert b"<html" in pages[0].lower() and env.common_step_counter > before


def test_many_rows_give_what_each_gives_alone():
    """Products of many rows are made piece by piece."""
    rng = np.random.default_rng(0)
    sizes, layers = (3, 160, 96, 2), []
    for inputs, outputs in itertools.pairwise(sizes):
        weight = rng.normal(0.0, inputs**-0.5, (outputs, inputs)).astype(np.float32)
        layers.append(DenseLayer(weight, np.zeros(outputs, np.float32), "elu"))
    policy = Policy(Network(layers=tuple(layers)))
    seen = rng.normal(size=(5, 41, 3)).astype(np.float32)
    alone = np.array([[policy(row) for row in rows] for rows in seen])
    np.testing.assert_allclose(policy(seen), alone, atol=1e-6)


def test_the_shipped_policy_balances_poles():
    from usdsim._resources import resource_dir

    policy = load_policy(resource_dir("assets") / find_task("cartpole").policy)
    with make_env("cartpole", num_envs=64, seed=9) as env:
        result = evaluate(env, policy, seed=11)
        idle = evaluate(env, lambda seen: torch.zeros(64, 1), seed=11)
    assert result.lasted == 1.0 and result.mean_length == 500.0
    assert idle.lasted < 0.1


def test_an_interrupted_command_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    command = f"train cartpole --envs 8 --iterations 3 --out {tmp_path}".split()
    assert main([*command, "--resume"]) == 1
    assert f"no checkpoint in '{tmp_path}'" in capsys.readouterr().err
    agent = find_task("cartpole").agent_cfg()
    seen: list[int] = []

    def interrupted(*arguments, **options):
        report = options["report"]

        def stop(progress):
            report(progress)
            seen.append(progress.iteration)
            if progress.iteration == 2:
                raise KeyboardInterrupt

        return train(*arguments, **(options | {"report": stop}))

    monkeypatch.setattr("usdsim.learning.train", interrupted)
    every = agent.replace(save_interval=1, num_steps_per_env=4)
    monkeypatch.setattr("usdsim.tasks.registry.Task.agent_cfg", lambda task: every.replace())
    assert main(command) == 1 and seen == [1, 2]
    assert f"--resume goes on from {tmp_path / 'checkpoint_2.pt'}" in capsys.readouterr().out
    assert main([*command, "--resume"]) == 0
    assert seen == [1, 2, 3]


def test_no_file_of_an_earlier_policy_stays_beside_those_of_another(tmp_path):
    pytest.importorskip("onnxscript")
    runtime = pytest.importorskip("onnxruntime")
    command = f"train cartpole --envs 8 --iterations 1 --out {tmp_path}".split()
    assert main([*command, "--onnx"]) == 0
    assert main([*command, "--seed", "5"]) == 0
    seen = np.ones((2, 4), np.float32)
    session = runtime.InferenceSession(str(tmp_path / "policy.onnx"))
    (found,) = session.run(None, {"observations": seen})
    np.testing.assert_allclose(found, load_policy(tmp_path / "policy.npz")(seen), atol=1e-6)


@pytest.mark.parametrize("asked", [True, False])
def test_a_missing_library_is_told_before_training(tmp_path, capsys, monkeypatch, asked):
    """Also where the file of an earlier policy is to be written anew."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    old = tmp_path / "policy.onnx"
    if not asked:
        old.write_bytes(b"earlier")
    command = f"train cartpole --envs 8 --iterations 1 --out {tmp_path}".split()
    assert main([*command, *["--onnx"] * asked]) == 1
    said = capsys.readouterr().err
    assert "onnx" in said and (asked or f"or remove '{old}'" in said)
    assert [*tmp_path.iterdir()] == ([] if asked else [old])


def test_commands_train_and_play(tmp_path, capsys):
    train_it = f"train cartpole --envs 8 --iterations 1 --out {tmp_path}"
    assert main(train_it.split()) == 0
    assert (tmp_path / "policy.npz").is_file() and (tmp_path / "checkpoint_1.pt").is_file()
    play_it = f"play cartpole --policy {tmp_path}/policy.npz --envs 2 --seconds 0.1"
    assert main(play_it.split()) == 0
    written = capsys.readouterr().out
    assert "mean length" in written and "pole angle" in written
    script = tmp_path / "policy.pt"
    assert main(f"play cartpole --policy {script} --envs 2 --seconds 0.1".split()) == 0
    assert written.endswith(capsys.readouterr().out)
    assert main([*play_it.split(), "--view", "--port", str(free_port())]) == 0
    assert "http://127.0.0.1" in capsys.readouterr().out
    assert main(["play", "quadruped-rough", "--seconds", "0.1"]) == 1
    assert "usdsim train quadruped-rough" in capsys.readouterr().err
    for path in (script, script.with_suffix(".npz")):
        assert main(f"play ant --policy {path} --envs 2".split()) == 1
        said = capsys.readouterr().err
        assert f"policy '{path}'" in said and "for the task ant" in said
