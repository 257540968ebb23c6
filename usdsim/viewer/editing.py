"""Editing beside a view: what the report found, a prim and its physics attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .viewer import Viewer

__all__ = ["add_editing"]

_MOST = 200
"""Findings listed, at most."""
_NONE = "-"


def add_editing(viewer: Viewer, gui: Any) -> dict[str, Any]:
    """Add the controls; returns them by name, and how a prim is selected as ``select``."""
    found: dict[str, Any] = {}
    findings = viewer.model.report.findings[:_MOST]
    if findings:
        with gui.add_folder("findings", expand_by_default=False):
            texts = {f"{k + 1} {f.path}": f for k, f in enumerate(findings)}
            listed = gui.add_dropdown("finding", (_NONE, *texts), initial_value=_NONE)
            about = gui.add_markdown(f"{len(findings)} findings of the report")

        def chosen(_: Any) -> None:
            finding = texts.get(listed.value)
            if finding is not None:
                about.content = f"**{finding.severity}** `{finding.path}` {finding.message}"
                viewer.ask(lambda: viewer.select(finding.path))

        listed.on_update(chosen)
        found |= {"finding": listed, "findings": about}
    with gui.add_folder("prim", expand_by_default=False):
        path = gui.add_text("path", "")
        name = gui.add_dropdown("attribute", (_NONE,), initial_value=_NONE)
        value = gui.add_text("value", "")
        apply = gui.add_button("Apply")
        target = gui.add_text("layer", "edits.usda")
        save = gui.add_button("Save edits")

    def select(selected: str) -> None:
        path.value = selected
        names = tuple(viewer.attributes(selected)) or (_NONE,)
        name.options = names
        name.value = names[0]
        value.value = viewer.attributes(selected).get(names[0], "")

    def describe() -> None:
        value.value = viewer.attributes(viewer.selected).get(name.value, "")

    def name_prim(_: Any) -> None:
        if path.value != viewer.selected:  # `select` has written it otherwise
            viewer.ask(lambda: viewer.select(path.value))

    path.on_update(name_prim)
    name.on_update(lambda _: viewer.ask(describe))
    apply.on_click(
        lambda _: viewer.ask(lambda: viewer.edit(viewer.selected, name.value, value.value))
    )
    save.on_click(lambda _: viewer.ask(lambda: viewer.save_edits(target.value)))
    controls = {"path": path, "attribute": name, "value": value, "apply": apply,
                "layer": target, "save": save}  # fmt: skip
    return found | controls | {"select": select}
