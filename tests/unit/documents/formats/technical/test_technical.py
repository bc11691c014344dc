import base64
import json

import pytest
from sample_files import build_notebook

from ascertain.core.documents.blocks import Span
from ascertain.core.errors import SourceError
from ascertain.documents.sources.files import read_path


def label_of(document, words):
    start = document.text.index(words)
    return document.place_of(Span(start, start + len(words))).label


def test_a_notebook_is_cited_by_cell(read_one):
    picture = base64.b64encode(b"\x89PNG" * 500).decode()
    document = read_one(
        "study.ipynb",
        build_notebook(
            ("markdown", "# Study\n\nWe count **birds**.\n\n![x](data:image/png;base64," + picture + ")"),
            ("code", ["import math\n", "math.sqrt(16)"], [{"output_type": "execute_result", "data": {"text/plain": ["4.0"], "image/png": picture}}]),
            ("markdown", "## Results\n\nThere were 40."),
            ("code", "plot()", [{"output_type": "display_data", "data": {"text/plain": "<Figure size 640x480 with 1 Axes>", "image/png": picture}}]),
            ("code", "1/0", [{"output_type": "stream", "text": "\x1b[31mtrying\x1b[0m\n"}, {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["x"]}]),
            authors=[{"name": "Ana"}],
        ),
    )  # fmt: skip
    assert document.text == (
        "Study\n\nWe count birds.\n\nimport math\nmath.sqrt(16)\n\nOutput:\n4.0\n\nResults\n\nThere were 40.\n\nplot()\n\n1/0\n\n"
        "Output:\ntrying\nZeroDivisionError: division by zero"
    )
    assert (document.title, document.author) == ("Study", "Ana")
    assert label_of(document, "4.0") == "cell 2"
    assert label_of(document, "There were 40.") == "Results, cell 3"


def test_a_notebook_of_version_3(read_one):
    cells = [
        {"cell_type": "heading", "level": 1, "source": "Old"},
        {"cell_type": "code", "input": "x = 1", "outputs": []},
    ]
    document = read_one("old.ipynb", json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}))
    assert document.text == "Old\n\nx = 1"


@pytest.mark.parametrize("content", ["{", "[]", '{"cells": 3}', '{"cells": []}', '{"cells": [1, null, {"source": 5}]}'])
def test_what_is_no_notebook_is_refused_in_a_line(write, content):
    with pytest.raises(SourceError, match=r"^a\.ipynb(?::\d+)?: [^\n]+$"):
        list(read_path(write("a.ipynb", content)))


RST = """\
.. _top:

Options
=======

Get it from PyPI__ or :doc:`the guide </install>`, see :ref:`top` and |name|. Use ``--fast_`` with *care*,
:class:`~click.Context` and :meth:`!run`. A `link <https://example.org>`_ too [1]_.

__ https://pypi.org

.. |name| replace:: the Name

.. confval:: max_retries
   :type: int
   :default: 5

   How often it tries.

.. py:function:: connect(host, port=80)

   Opens it.

   :param str host: Where to.
   :returns: A connection.

Examples
--------

Run this::

    connect("a")
        indented

.. code-block:: python
   :caption: Another

   x = 1

.. versionadded:: 8.2
   The ``port`` parameter.

.. note:: Mind the gap.

term
    What it means.

- one
- two
  goes on

====== =====
Name   Value
====== =====
a      1
b      2
====== =====

+----+-----+
| c  | d   |
+====+=====+
| 1  | two |
|    | go  |
+----+-----+

.. list-table:: Sizes
   :header-rows: 1

   * - Size
     - Cost
   * - small
     - 3 €

.. toctree::
   :maxdepth: 2

   hidden

.. a comment
   that goes on

.. [1] A footnote.
"""


def test_restructured_text_is_what_a_person_reads(read_one):
    document = read_one("options.rst", RST)
    assert (
        document.text
        == """\
Options

Get it from PyPI or the guide, see top and the Name. Use --fast_ with care, Context and run. A link too[1].

max_retries (type: int, default: 5): How often it tries.

connect(host, port=80): Opens it.

Parameter host (str): Where to.

Returns: A connection.

Examples

Run this:

connect("a")
    indented

Another

x = 1

Added in version 8.2: The port parameter.

Note

Mind the gap.

term: What it means.

- one
- two goes on

Name | Value
a | 1
b | 2

c | d
1 | two go

Sizes

Size | Cost
small | 3 €

[1] A footnote."""
    )
    assert document.title == "Options"
    assert label_of(document, "Run this:") == "Examples"


ADOC = """\
= The Manual
Ana Flores <ana@example.org>
v1, 2025-03-04
:product: Anvil

The *{product}* is _heavy_, see <<sizes,the sizes>> and https://example.org[the site].

[#sizes]
== Sizes

.All of them
[cols="1,1"]
|===
|Name |Weight

|small
|3 kg
|large |9 kg
|===

timeout:: Seconds to wait. Default: 30.

* one
** two
. first

NOTE: Lift with care.

[source,python]
----
x = [1]
----

// a comment
include::other.adoc[]
image::a.png[A picture of it]
"""


def test_asciidoc(read_one):
    document = read_one("manual.adoc", ADOC)
    assert (
        document.text
        == """\
The Manual

The Anvil is heavy, see the sizes and the site.

Sizes

All of them

Name | Weight
small | 3 kg
large | 9 kg

timeout: Seconds to wait. Default: 30.

- one
  - two
1. first

Note

Lift with care.

x = [1]"""
    )
    assert (document.title, document.author, str(document.published_at)[:10]) == (
        "The Manual",
        "Ana Flores",
        "2025-03-04",
    )
    assert label_of(document, "Lift with care") == "Sizes"


ADOC_CARRIERS = """\
= w001
Ana Flores <ana@x.org>
v1.0, 2025-03-04: w002
:product: w003

w004 {product} *w005* _w006_ `w007` #w008# x^2^ H~2~O +w009+ **w0**10 link:a.html[w011] https://x.org[w012] <<s,w013>> xref:s[w014]
kbd:[w015] menu:w016[w017 > w018] footnote:[w019 https://x.org[w020]] stem:[w021] image:a.png[w101] ((w022)) (((no))) [[no]] indexterm2:[w023] +
w024 footnote:a[w025] footnote:a[] latexmath:[w026] <<ref>>

.w027
image::b.png[w102, title="w028"]

[quote, w029, W030]
____
w031
____

[verse, w032]
w033
w034

.w035
[WARNING]
====
w036

* w037
====

[TIP]
w038

****
w039
****

w040::
  w041

* w042
+
----
w043
----
** w044
. w045
- [x] w046

[cols="1,2a", options="header"]
|===
|w047 |w048

|w049
|
* w050

2+|w051
|===

,===
w052,"w053, w054"
,===

[format=dsv]
|===
w055:w056
|===

[#s]
== w057
// no

ifdef::y[w058]

video::w103.mp4[]

include::w104.adoc[]

[bibliography]
* [[[ref,w059]]] w060
"""


def test_every_carrier_of_text_in_asciidoc_is_stored_once_or_named(read_one):
    document = read_one("all.adoc", ADOC_CARRIERS)
    text = document.text
    for number in range(1, 61):
        assert text.lower().count(f"w{number:03d}") == 1, number
    assert "w008 x² H₂O w009 w010 w011" in text and "w016 > w017 > w018" in text and "w024 [2] [2] w026 ref" in text
    assert "w031\n\n— w029, W030" in text and "w033 w034\n\n— w032" in text and "Tip\n\nw038" in text
    assert "w052 | w053, w054" in text and "w055 | w056" in text and "- [w059] w060" in text
    assert "[1] w019 w020\n\n[2] w025" in text and "no" not in text.split()
    named = {loss.what: loss.names for loss in document.completeness.left_out}
    assert named == {"pictures": ("w101", "w102"), "films": ("w103.mp4",), "included files": ("w104.adoc",)}


ORG = """\
#+TITLE: The Plan
#+AUTHOR: Zoe
#+DATE: <2025-03-04 Tue>
#+FILETAGS: :work:plan:

* TODO [#A] First step :urgent:
  :PROPERTIES:
  :default: 5
  :END:
  Call *Bo* about [[https://example.org][the site]] in ~code~.
  SCHEDULED: <2025-03-10 Mon>
** Details
- [ ] buy rope
- term :: what it means
| a | b |
|---+---|
| 1 | 2 |
#+BEGIN_SRC sh
ls *
#+END_SRC
# a comment
"""


def test_org(read_one):
    document = read_one("plan.org", ORG)
    assert (
        document.text
        == """\
First step

state: TODO

priority: A

tags: urgent

default: 5

Call Bo about the site in code. SCHEDULED: 2025-03-10 Mon

Details

- [ ] buy rope
- term: what it means

a | b
1 | 2

ls *"""
    )
    assert (document.title, document.author, document.tags) == ("The Plan", "Zoe", ("work", "plan"))
    assert str(document.published_at)[:10] == "2025-03-04"
    assert label_of(document, "buy rope") == "First step › Details"


ORG_CARRIERS = """\
#+TITLE: The title
#+SUBTITLE: w001

w002 *w003* /w004/ _w005_ =w006= ~w007~ +w008+ [[https://x.org][w009]] [fn:: w010] <2025-01-01 Wed w011> $w012$ [fn:1] [[file:b.png][w013]]

* TODO [#w] w014 :w015:
DEADLINE: <2025-02-02 w016>
:PROPERTIES:
:w017: w018
:END:
- [X] w019 :: w020
  w021
- w022 ::
  w023
 * w024
1. w025

#+CAPTION: w026
| w027 | w028 |
|------+------|
| w029 | w030 |

#+CAPTION: w031
[[./w101.png]]

#+begin_src sh
w032
#+end_src

#+begin_quote
w033
#+end_quote

#+begin_note
w034
#+end_note

#+begin_comment
no
#+end_comment
# no

#+begin_custom
w035
#+end_custom

#+INCLUDE: "w102.org"
#+HTML: <p>w036</p>

: w037

[fn:1] w038
  w039
"""


def test_every_carrier_of_text_in_org_is_stored_once_or_named(read_one):
    document = read_one("all.org", ORG_CARRIERS)
    text = document.text
    for number in range(1, 40):
        assert text.count(f"w{number:03d}") == 1, number
    assert (
        "w014\n\nstate: TODO\n\npriority: w\n\ntags: w015" in text
        and "- [X] w019: w020 w021\n- w022: w023\n- w024" in text
    )
    assert "w026\n\nw027 | w028" in text and "[1] w038 w039" in text and "no" not in text.split()
    assert {loss.what: loss.names for loss in document.completeness.left_out} == {
        "pictures": ("./w101.png",),
        "included files": ("w102.org",),
    }


LATEX = r"""
\documentclass{article}
\title{On \emph{Birds}}
\author{Ana Flores \and Bo Berg}
\date{March 4, 2025}
\begin{document}
\maketitle
% a comment
\section{Method}\label{sec:m}
We count gr\"o{\ss}er birds~\cite{flores2020} at 40\,\% -- see Table~\ref{tab:a} and $x^2$.
\begin{itemize}
\item one
\item two
\end{itemize}
\begin{tabular}{l|r}
\hline
Bird & Count \\
Crow & 4 \\ \hline
\end{tabular}
\subsection*{Details}
\begin{verbatim}
a_b = {1}
\end{verbatim}
Words.
\end{document}
"""


def test_latex(read_one):
    document = read_one("paper.tex", LATEX)
    assert (document.title, document.author) == ("On Birds", "Ana Flores , Bo Berg")
    assert "We count größer birds [flores2020] at 40 % – see Table tab:a and $x^2$." in document.text
    assert "- one\n- two" in document.text
    assert "Bird | Count\nCrow | 4" in document.text
    assert "a_b = {1}" in document.text
    assert "comment" not in document.text and "maketitle" not in document.text
    assert label_of(document, "We count") == "Method"
    assert label_of(document, "Words.") == "Method › Details"


PYTHON = '''"""Loads things."""

LIMIT = 40


class Loader:
    """Reads files."""

    @property
    def limit(self) -> int:
        """The most files that are read."""
        return LIMIT


def load(path):
    return path
'''


def test_python_is_cited_by_line_and_function(read_one):
    document = read_one("loading.py", PYTHON)
    assert document.title == "loading.py"
    assert document.text.replace("\n", "") == PYTHON.replace("\n", "")
    assert label_of(document, "LIMIT = 40") == "line 3"
    assert label_of(document, '"""The most files') == "Loader › limit, line 11"
    assert label_of(document, "@property") == "Loader › limit, line 9"
    assert label_of(document, "return path") == "load, line 16"


@pytest.mark.parametrize(
    ("name", "source", "words", "label"),
    [
        ("a.go", "package a\n\n// Opens it.\nfunc (s *Server) Open(port int) error {\n\treturn nil\n}\n\nvar x = 1\n", "return nil", "Server.Open, line 5"),
        ("a.go", "package a\n\n// Opens it.\nfunc (s *Server) Open(port int) error {\n\treturn nil\n}\n\nvar x = 1\n", "// Opens", "Server.Open, line 3"),
        ("a.go", "package a\n\nfunc Open() {\n\treturn\n}\n\nvar x = 1\n", "var x", "line 7"),
        ("a.js", "class Shop {\n  async buy(item) {\n    return item;\n  }\n}\nexport const sell = (a, b) => {\n  return a;\n};\n", "return item", "Shop › buy, line 3"),
        ("a.js", "class Shop {\n  async buy(item) {\n    return item;\n  }\n}\nexport const sell = (a, b) => {\n  return a;\n};\n", "return a;", "sell, line 7"),
        ("a.java", "public class Shop {\n    private int count(String name) throws IOException {\n        if (x) {\n            return 1;\n        }\n    }\n}\n", "return 1", "Shop › count, line 4"),
        ("a.rs", "impl Shop for Town {\n    pub fn open(&self) -> bool {\n        true\n    }\n}\n", "true", "Shop for Town › open, line 3"),
        ("a.c", "static int\nother;\nint main(int argc, char **argv)\n{\n    return 0;\n}\n", "return 0", "main, line 5"),
        ("a.rb", "module Town\n  class Shop\n    def open?\n      true\n    end\n  end\nend\n", "true", "Town › Shop › open?, line 4"),
        ("a.sh", "start() {\n  echo hello\n}\n", "echo", "start, line 2"),
        ("a.sql", "CREATE TABLE shops (\n  name text\n);\n", "name text", "shops, line 2"),
        ("a.py", "def broken(:\n    pass\n", "pass", "broken, line 2"),
    ],
)  # fmt: skip
def test_source_code_of_other_languages(read_one, name, source, words, label):
    assert label_of(read_one(name, source), words) == label


def test_packed_source_code_is_refused(write):
    with pytest.raises(SourceError, match=r"^a\.js: minified source code"):
        list(read_path(write("a.js", "function a(){return 1};" * 2000)))
