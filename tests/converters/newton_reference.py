"""Positions of bodies in Newton, for `test_targets_run`, which runs this file.

It runs in an environment that has ``newton`` and not this project. Argument: a JSON file with a
list of stages, each with its time step and the targets of its joints by path. The last line of the
output is a JSON object of degrees of freedom and positions after 100 steps, by stage.
"""

import json
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

import newton  # noqa: E402
import warp as wp  # noqa: E402
from newton.usd import SchemaResolverNewton, SchemaResolverPhysx  # noqa: E402

STEPS = 100


def run(path, dt, targets):
    """Simulate a stage without contacts."""
    builder = newton.ModelBuilder()
    solvers = newton.solvers.SolverMuJoCo
    solvers.register_custom_attributes(builder)
    builder.add_usd(path, schema_resolvers=[SchemaResolverNewton(), SchemaResolverPhysx()])
    model = builder.finalize(device="cpu")
    solver = solvers(model, use_mujoco_cpu=True, disable_contacts=True)
    state, after = model.state(), model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    control = model.control()
    aims = control.joint_target_q.numpy()
    starts = model.joint_target_q_start.numpy()
    for joint, label in enumerate(model.joint_label):
        if label in targets and starts[joint] < len(aims):
            aims[starts[joint]] = targets[label]
    control.joint_target_q.assign(aims)
    for _ in range(STEPS):
        state.clear_forces()
        solver.step(state, after, control, None, dt)
        state, after = after, state
    found = state.body_q.numpy()[:, :3].tolist() if model.body_count else []
    links = dict(zip(model.body_label, found, strict=True))
    return {"dofs": int(solver.mj_model.nv), "links": links}


def main(jobs):
    """Simulate every stage; those that Newton refuses say why."""
    answers = {}
    for path, dt, targets in json.loads(Path(jobs).read_text()):
        try:
            answers[path] = run(path, dt, targets)
        except Exception as error:
            answers[path] = {"error": f"{type(error).__name__}: {error}"[:300]}
    print("\n" + json.dumps(answers))


if __name__ == "__main__":
    wp.config.quiet = True
    main(sys.argv[1])
