"""Sites: named frames on bodies."""

from __future__ import annotations

from pxr import Usd

from usdsim.schemas.authoring.family import Family, resolve
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

SITE = Family("site", "MjcSiteAPI")


@schema_cfg
class SitePropertiesCfg(SchemaCfg):
    """Properties of a site."""

    group: int | None = attribute("mjc:group", "Visual group.", api="MjcSiteAPI", range="[0, inf)")


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


def modify_site_properties(
    prim_path: str,
    cfg: SitePropertiesCfg,
    stage: Usd.Stage | None = None,
    *,
    subtree: bool = False,
    uninstance: bool = False,
) -> SchemaResult:
    """Change the sites at and below a prim; fields that are None stay as authored."""
    return SITE.modify(prim_path, cfg, stage, subtree=subtree, uninstance=uninstance)


def read_site_properties(
    prim_path: str,
    cfg_type: type[SitePropertiesCfg] = SitePropertiesCfg,
    stage: Usd.Stage | None = None,
) -> SitePropertiesCfg:
    """The configuration a site's authored attributes amount to."""
    return SITE.read(prim_path, cfg_type, stage)
