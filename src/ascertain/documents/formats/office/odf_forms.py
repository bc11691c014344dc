"""Controls of forms in OpenDocument, by the ids that drawings name them by (OpenDocument 1.3 part 3, 13)."""

from collections.abc import Iterator
from typing import Any

from ascertain.documents.formats.drafts.draft import clean_line
from ascertain.documents.formats.office.packages import attribute_of, iter_named, local_name
from ascertain.documents.formats.office.stories import FormField

_FILLED = frozenset("text textarea formatted-text number date time combobox password file".split())


def list_controls(forms: Any, parent: Any) -> Iterator[FormField]:
    """What the controls below ``parent`` say, in the order in which they are drawn there; ``forms`` has their fields."""
    fields = dict(control_fields(forms))
    for control in iter_named(parent, "control"):
        if field := fields.get(attribute_of(control, "control") or ""):
            yield field


def control_fields(forms: Any) -> Iterator[tuple[str, FormField]]:
    """The controls below ``forms`` that say something, each with its id."""
    for element in forms.iter():
        name = local_name(element)
        label = clean_line(attribute_of(element, "label") or "")
        field_name = label or clean_line(attribute_of(element, "name") or "")
        value = attribute_of(element, "current-value") or attribute_of(element, "value") or ""
        if name in ("checkbox", "radio"):
            states = [
                attribute_of(element, each) for each in ("current-state", "state", "current-selected", "selected")
            ]
            state = next((each for each in states if each is not None), "")
            value = "yes" if state in ("checked", "true") else "no"
        elif name == "listbox":
            options = iter_named(element, "option")
            chosen = (each for each in options if attribute_of(each, "current-selected") == "true")
            value = ", ".join(attribute_of(each, "label") or "" for each in chosen)
        elif name in ("fixed-text", "button", "frame"):
            value, field_name = label, ""
        elif name not in _FILLED:
            continue
        control_id = attribute_of(element, "id") or ""
        value = clean_line(value)
        if control_id and value:
            yield control_id, FormField(field_name, value)
