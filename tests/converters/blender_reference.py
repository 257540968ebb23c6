"""What Blender makes of a stage, for `test_opens_in_blender`, which runs this file.

It runs in an environment that has ``bpy`` and not this project. Argument: a stage. The last line of
the output is a JSON object: names, kinds and positions in the world of all objects.
"""

import json
import sys

import bpy


def main(path):
    """Import a stage into an empty scene."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.usd_import(filepath=path)
    bpy.context.view_layer.update()
    found = {
        thing.name: {"kind": thing.type, "position": list(thing.matrix_world.translation)}
        for thing in bpy.data.objects
    }
    print("\n" + json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
