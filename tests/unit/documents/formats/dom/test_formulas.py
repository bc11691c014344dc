import pytest

from ascertain.documents.formats.dom.formulas import formula_text
from ascertain.documents.formats.dom.markup import markup_tree


@pytest.mark.parametrize(
    ("mathml", "text"),
    [
        ("<mfrac><mn>1</mn><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", "1/(n+1)"),
        ("<msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mn>4</mn>", "x² = 4"),
        ("<msup><mn>10</mn><mn>26</mn></msup>", "10²⁶"),
        ("<msup><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></msup>", "(a+b)²"),
        ("<munder><mi>lim</mi><mi>n</mi></munder><mi>f</mi>", "lim_(n) f"),
        ("<mfenced open='[' close=']'><mi>a</mi><mi>b</mi></mfenced>", "[a, b]"),
        ("<msqrt><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow></msqrt>", "√(x+1)"),
        ("<msqrt><mn>2</mn></msqrt>", "√2"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
            "∑_(i = 1)^(n) i",
        ),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
            "1, 2; 3",
        ),
        ("<semantics><mi>x</mi><annotation encoding='application/x-tex'>x</annotation></semantics>", "x"),
        ("<semantics><annotation encoding='application/x-tex'>\\alpha</annotation></semantics>", "\\alpha"),
        ("<mn>1</mn><mn>2</mn>", "1 2"),
    ],
)
def test_a_formula_is_written_in_a_line(mathml, text):
    tree = markup_tree(f"<p><math>{mathml}</math></p>")
    assert formula_text(next(tree.iter("math"))) == text
