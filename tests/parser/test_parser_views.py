from hypothesis import given, settings
from hypothesis import strategies as st
from pxr import Sdf, Usd

from usdsim.parser.prims import collect_prims, is_local
from usdsim.parser.report import Report

PROTO = """#usda 1.0
(
    defaultPrim = "P"
)
def Xform "P" (
    prepend variantSets = "mass"
    variants = {{
        string mass = "{variant}"
    }}
)
{{
    double physics:mass = 1
    double physics:density.timeSamples = {{ 3: 5, 7: 9 }}
    double physics:speed = 4
    double physics:speed.timeSamples = {{ 2: 6 }}
    rel physics:body0 = [</P/c>, </Elsewhere>]
    def Cube "c"
    {{
        double size = 2
        rel physics:body1 = </P>
        rel physics:body0 = </P.physics:mass>
    }}
    variantSet "mass" = {{
        "light" {{
            double physics:mass = 0.5
        }}
        "heavy" {{
            double physics:mass = 50
            rel physics:body1 = </P/c>
        }}
    }}
}}
"""
STAGE = """#usda 1.0
(
    subLayers = [{sublayers}]
)
def "Elsewhere" {{}}
def Xform "a" ({arc}
    instanceable = {instanceable}
)
{{
    {opinion}
}}
"""
OPINIONS = (
    "",
    "double physics:mass = 7",
    "double physics:mass = None",
    "rel physics:body0 = </Elsewhere>",
    "delete rel physics:body0 = </a/c>",
    "double physics:speed = None",
)
OVER = """#usda 1.0
over "a"
{{
    {opinion}
}}
"""


def layer_of(text):
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    return layer


@given(
    variant=st.sampled_from(["light", "heavy", "none"]),
    arc=st.sampled_from(["", "references", "payload", "inherits", "specializes"]),
    outside=st.booleans(),
    instanceable=st.sampled_from(["true", "false"]),
    opinions=st.tuples(*[st.sampled_from(OPINIONS)] * 2),
)
@settings(max_examples=60)
def test_views_read_what_openusd_does(variant, arc, outside, instanceable, opinions):
    proto = PROTO.format(variant=variant)
    outside = outside and arc in ("references", "payload")
    below, source = layer_of(OVER.format(opinion=opinions[0])), layer_of(proto)
    target = f"@{source.identifier}@" if outside else "</P>"
    layer = layer_of(
        STAGE.format(
            sublayers=f"@{below.identifier}@",
            arc=f"\n    prepend {arc} = {target}" if arc else "",
            instanceable=instanceable,
            opinion=opinions[1],
        )
    )
    if not outside:
        Sdf.CopySpec(source, "/P", layer, "/P")
    stage = Usd.Stage.Open(layer)
    assert is_local(stage) is not outside
    report = Report()
    views, _ = collect_prims(stage, Sdf.Path.absoluteRootPath, report)
    assert {"/a", "/Elsewhere"} <= {view.path for view in views}
    for view in views:
        for prop in view.prim.GetAuthoredProperties():
            name = prop.GetName()
            if isinstance(prop, Usd.Attribute):
                assert view.raw(name) == prop.Get(Usd.TimeCode.EarliestTime())
                assert view.targets(name) == ()
            else:
                assert view.targets(name) == tuple(prop.GetTargets())
                assert view.raw(name) is None
                dropped = [f for f in report.findings if f.attribute == name]
                # A stage of its own layers drops none, so nothing was left unsaid.
                assert outside or not dropped
                spec = prop.GetPropertyStack()[0]
                if not outside and spec.targetPathList.isExplicit:
                    stated = spec.targetPathList.GetAppliedItems()
                    assert len(stated) == len(prop.GetTargets())
