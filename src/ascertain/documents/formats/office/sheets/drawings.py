"""What is drawn on a sheet beside its cells."""

from ascertain.documents.formats.office.charts import chart_parts, chart_rows, chart_shapes, chart_title
from ascertain.documents.formats.office.drawings import (
    count_pictures,
    diagram_lines,
    diagram_parts,
    iter_shapes,
    list_paragraphs,
)
from ascertain.documents.formats.office.packages import Package, local_name
from ascertain.documents.formats.office.sheets.writing import Remark, Sheet


def read_drawing(package: Package, name: str, sheet: Sheet) -> None:
    """Add the text boxes and diagrams of the drawing in a part to its sheet, and the titles of its charts; pictures are counted."""
    tree, relations = package.read_tree(name), package.relations_of(name)
    for shape in iter_shapes(tree):
        if local_name(shape) != "graphicFrame":
            lines = (f"{each.marker} {each.text}".strip() for each in list_paragraphs(shape))
            sheet.remarks += (Remark(line) for line in lines)
            continue
        for part in chart_parts(shape, relations, package):
            chart = package.read_tree(part)
            sheet.add_chart(chart_title(chart), chart_rows(chart))
            sheet.remarks += (Remark(line) for line in chart_shapes(part, package))
        for part in diagram_parts(shape, relations, package):
            sheet.remarks += (Remark(line) for _, line in diagram_lines(package.read_tree(part)))
    count_pictures(tree, sheet.losses)
