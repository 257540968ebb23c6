"""Sites: named frames on bodies."""

from __future__ import annotations

from pxr import Usd

from usdsim.schemas.authoring.family import Family, function_of, resolve
from usdsim.schemas.authoring.result import SchemaResult
from usdsim.schemas.authoring.table import attribute
from usdsim.usd.schemas import apply_api

from .cfg import SchemaCfg, schema_cfg

__all__ = [
    "SitePropertiesCfg",
    "define_site_properties",
    "modify_site_properties",
    "read_site_properties",
]


@schema_cfg
class SitePropertiesCfg(SchemaCfg):
    """Properties of a site."""

    group: int | None = attribute(
        "mjc:group",
        "MjcSiteAPI",
        "int",
        "Visual group.",
        range="[0, inf)",
    )


def define_site_properties(
    prim_path: str, cfg: SitePropertiesCfg, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Make a prim a site, for MuJoCo and Newton alike.

    Args:
        prim_path: a shape or transform on a body.
        cfg: its properties; fields that are None stay as authored.
        stage: where the prim is; None: the current stage.

    Raises:
        ValueError: there is no such prim.
    """
    result = SITE.define(prim_path, cfg, stage)
    apply_api(resolve(prim_path, stage), "NewtonSiteAPI")
    return result


SITE = Family("site", "MjcSiteAPI", cfg=SitePropertiesCfg)

modify_site_properties = function_of(SITE.modify)
read_site_properties = function_of(SITE.read)
