"""Poses of rigid bodies after some time in PhysX, for `test_physx_referee`, which runs this file.

It runs in an environment that has ``ovphysx`` and not this project. Arguments: stage, seconds,
steps per second. The last line of the output is a JSON object of poses by prim path.
"""

import json
import sys

import numpy as np
import ovphysx
import ovstage
from ovphysx.samples.python_samples.schema_support import physx_schema_paths
from ovphysx.types import ObjectScope, SimObjectType

ovphysx.PhysX.set_cpu_mode(True)
SCHEMAS = [*map(str, physx_schema_paths()), str(ovphysx.newton_schema_root())]
ovstage.population.register_usd_schemas(SCHEMAS)


def poses(physx, stage):
    """Position of every rigid body and link, in stage units, and orientation, xyzw."""
    found = {}
    with ovstage.PathDictionary(stage) as names:
        for kind in (SimObjectType.RIGID_BODY, SimObjectType.ARTICULATION_LINK):
            for attribute in ("position", "orientation"):
                with physx.read_sync(kind, [attribute], scope=ObjectScope.ALL) as result:
                    for group in result.groups:
                        if group.is_delete or not group.tensors:
                            continue
                        values = np.asarray(group.tensors[0].numpy(), np.float64)
                        paths = names.get_path_strings(group.prim_list)
                        for path, value in zip(paths, values, strict=True):
                            found.setdefault(str(path), []).extend(value.tolist())
    return found


def main(path, seconds, rate):
    """Simulate a stage and print where its bodies are."""
    physx, stage = ovphysx.PhysX(), ovstage.Stage("referee")
    ovstage.population.open_usd(stage, path, ordinal=1, domains=ovstage.PopulationDomain.ALL)
    stage.advance_write_floor(ordinal=1).wait()
    physx.wait_task(physx.attach_ovstage(stage, read_ordinal=1))
    for _ in range(round(seconds * rate)):
        physx.step_sync(1.0 / rate)
    print("\n" + json.dumps(poses(physx, stage)))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
