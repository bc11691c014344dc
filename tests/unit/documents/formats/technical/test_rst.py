import pytest

from ascertain.core.documents.blocks import BlockKind
from ascertain.documents.formats.technical.rst import render_rst
from tests.growth import assert_linear

EVERYTHING = r"""
w001
====

.. comment w900

w002 *w003* ``w004`` `w005 <https://example.org>`_ :ref:`w006 <w901>` :py:meth:`~w902.w007` [1]_ H\ :sub:`2`\ O |w008|

.. |w008| replace:: w009

======= ===== =====
         w010  w011
======= ===== =====
w012    w013  w014
======= ===== =====

+-------+------+
| w015  | w016 |
|       +------+
|       | w017 |
+-------+------+

w018 : w019
   w020

   w021

.. csv-table:: w022
   :header: w023, w024

   w025, "w026, w027"

.. glossary::

   w028
   w029
     w030

.. option:: -x, --long <w031>

   w032

.. tab:: w033

   w034

.. unheard-of:: w035
   :default: w036

   w037

.. versionadded:: 2.4
   w038

.. note:: w039

.. seealso:: w040

.. code-block:: python
   :caption: w041

   w042
       w043

.. toctree::

   w044 <w903>
   w904

.. include:: w905.txt

.. autoclass:: w045
   :members:

.. image:: w906.png
   :alt: w907

-a, --all   w046

| w047
|   w048

b. w049
c. w050

   * w051

:param str host: w052

    w053

    -- w054

.. [1] w055
"""


def test_every_word_is_stored_or_named():
    read = render_rst(EVERYTHING)
    assert (
        read.text
        == """\
w001

w002 w003 w004 w005 w006 w007[1] H₂O w009

– | w010 | w011
w012 | w013 | w014

w015 | w016
w015 | w017

w018 (w019): w020

w021

w022

w023 | w024
w025 | w026, w027

w028, w029: w030

-x, --long <w031>: w032

w033

w034

w035 (default: w036): w037

Added in version 2.4: w038

Note

w039

See also

w040

w041

w042
    w043

- w044

w045

-a, --all: w046

w047
  w048

b. w049
c. w050
  - w051

Parameter host (str): w052

w053

-- w054

[1] w055"""
    )
    assert {each.what: each.names for each in read.left_out} == {
        "pages of a table of contents": ("w044 <w903>", "w904"),
        "included files": ("w905.txt",),
        "documentation made from code": ("w045",),
        "pictures": ("w907",),
    }
    kinds = {each.kind for each in read.blocks}
    assert kinds >= {
        BlockKind.DEFINITION, BlockKind.TABLE, BlockKind.ADMONITION, BlockKind.CODE, BlockKind.CAPTION, BlockKind.LIST,
        BlockKind.FOOTNOTE,
    }  # fmt: skip


def test_what_docutils_cannot_read_stands_as_it_is_written():
    assert "a b c d e f" in render_rst("T\n=\n\n=====  ====\nbad\na b c d e f\n").text


@pytest.mark.parametrize("name", ["include", "raw", "csv-table"])
def test_no_file_is_read(tmp_path, name):
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden words")
    read = render_rst(f"T\n=\n\n.. {name}:: {secret}\n   :file: {secret}\n")
    assert "hidden words" not in read.text


@pytest.mark.parametrize(
    "piece",
    [
        "*a ",
        "`a ",
        "|a ",
        "[1]_ ",
        ".. note::\n\n",
        "- a\n\n",
        "T\n=\n\n",
        "+--+\n",
        "== ==\n",
        ":a: ",
        "\\",
        "a\n b\n",
        "| a\n",
        "``",
    ],
)
def test_time_grows_with_length(piece):
    assert_linear(lambda length: render_rst("T\n=\n\n" + piece * (length // len(piece))), 4_000)


def test_roles_for_what_is_tracked_by_a_number_show_what_it_is():
    text = render_rst(
        "Fixed :cve:`2023-4863`, :cve:`CVE-2024-1` and a crash (:ticket:`34798`, :issue:`a page <12>`).\n"
    ).text

    assert "Fixed CVE-2023-4863, CVE-2024-1 and a crash (#34798, a page)." in text
