"""What the groups of an RTF file are: text, stories of their own, facts, or nothing that is shown."""

from dataclasses import dataclass, field

from ascertain.documents.formats.office.stories import FormField

SKIPPED = frozenset(
    "colortbl generator listtable listoverridetable rsidtbl revtbl xmlnstbl themedata colorschememapping datastore latentstyles "
    "filetbl mmathPr pgdsctbl ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn bkmkstart bkmkend nonshppict objdata objclass objname "
    "private template pnseclvl pntxta pntxtb pn atrfstart atrfend atnid atnref atndate atntime atnparent atnicn datafield xe tc "
    "tcn rxe userprops docvar passwordhash shprslt pict nonesttables mmathPict nextfile comment doccomm manager company operator "
    "category hlinkbase linkval propname staticval buptim printim listpicture background".split()
)
"""Destinations with nothing in them that the document shows."""
SUB_STORIES = {"footnote": "footnote", "annotation": "comment", "shptxt": "box", "dptxbxtext": "box"}
"""Text that stands elsewhere than the text around it, by what it is."""
FURNITURE = frozenset("header headerl headerr headerf footer footerl footerr footerf".split())
FACTS = frozenset({"title", "author", "keywords", "subject"})
READ: dict[str, tuple[str, str]] = {
    "fonttbl": ("fonts", ""),
    "stylesheet": ("styles", ""),
    "info": ("info", ""),
    **{name: ("collect", name) for name in FACTS},
    "creatim": ("date", ""),
    "revtim": ("date", ""),
    "field": ("", "field"),
    "fldinst": ("code", ""),
    "fldrslt": ("text", ""),
    "formfield": ("form", ""),
    "ffname": ("collect", "form name"),
    "ffl": ("collect", "form entry"),
    "listtext": ("collect", "marker"),
    "pntext": ("collect", "marker"),
    "atnauthor": ("collect", "comment author"),
    "shp": ("shape", ""),
    "shpinst": ("shape", ""),
    "shpgrp": ("shape", ""),
    "do": ("shape", ""),
    "sp": ("shape", ""),
    "sn": ("collect", "shape name"),
    "sv": ("collect", "shape value"),
    "shppict": ("", ""),
    "object": ("shape", ""),
    "objocx": ("shape", ""),
    "result": ("text", ""),
    "moMathPara": ("", ""),
    "mmath": ("", ""),
    "upr": ("skip text", ""),
    "ud": ("text", ""),
    "nesttableprops": ("row of a cell", ""),
}
"""The destination that a word makes of its group (empty: that of the group around it), and what ends with it."""


@dataclass(slots=True)
class Form:
    r"""A field, and what its ``\formfield`` says; ``kind`` is 0 for text, 1 for a box, 2 for a list, None for no field of a form."""

    kind: int | None = None
    name: str = ""
    chosen: int | None = None
    default: int = 0
    result: int = 0
    """The number of pieces of its paragraph when its result began."""
    entries: list[str] = field(default_factory=list[str])

    def set(self, word: str, number: int) -> None:
        """Take what a word says."""
        if word == "fftype":
            self.kind = number
        elif word == "ffres":
            # 25 says that nothing was chosen yet
            self.chosen = None if number == 25 else number
        elif word == "ffdefres":
            self.default = number

    def add(self, what: str, text: str) -> None:
        """Take its name or an entry of its list."""
        if what == "form name":
            self.name = text
        else:
            self.entries.append(text)


def form_text(form: Form) -> str:
    """What a field of a form shows that has no result: its box, or the entry that is chosen."""
    state = form.default if form.chosen is None else form.chosen
    if form.kind == 1:
        return "☒" if state else "☐"
    return form.entries[state] if form.kind == 2 and 0 <= state < len(form.entries) else ""


def form_field(form: Form, value: str) -> FormField | None:
    """The field with what is filled in; None where it has no name, or nothing is."""
    if form.kind == 1:
        value = "yes" if (form.default if form.chosen is None else form.chosen) else "no"
    value = " ".join(value.split())
    return FormField(form.name, value) if form.kind is not None and form.name and value else None
