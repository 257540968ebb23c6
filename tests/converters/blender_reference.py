"""What Blender makes of a stage, for `test_opens_in_blender`, which runs this file.

It runs in an environment that has ``bpy`` and not this project. Arguments: a stage, and frames
(none: the first). The last line of the output is a JSON list with an object per frame: names of
all objects, their kinds, and their positions and axes in the world.
"""

import json
import sys

import bpy


def main(path, *frames):
    """Import a stage into an empty scene, and look at it in frames."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=path)
    seen = []
    for frame in frames or (bpy.context.scene.frame_start,):
        bpy.context.scene.frame_set(int(frame))
        seen.append({thing.name: _look(thing) for thing in bpy.data.objects})
    print("\n" + json.dumps(seen))


def _look(thing):
    world = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
    axes = [list(row) for row in world.to_3x3().normalized()]
    return {"kind": thing.type, "position": list(world.translation), "axes": axes}


if __name__ == "__main__":
    main(*sys.argv[1:])
