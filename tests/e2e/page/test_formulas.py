"""Formulas in documents and answers: drawn as MathML; sums of money, code and what is hostile stay text."""

import os
import subprocess
import sys

import pytest
import running_page
from playwright.sync_api import expect
from running_page import PATIENCE, PHONE, visit
from served_page import ask, find_violations

pytestmark = pytest.mark.slow

expect.set_options(timeout=PATIENCE * 1000)

TEXT = r"""# On relativity

The energy of a body at rest is $E = mc^2$, where $m$ is its mass and $c$ the speed of light.

The Gaussian integral is known to every student of physics:

$$\int_{-\infty}^{\infty} e^{-x^2}\,dx = \sqrt{\pi}$$

The book costs $5 and the other one $6, or US$5/US$6 each.

A hostile formula is $\href{javascript:window.hacked=1}{x^2}$ and another $<img src=x onerror=window.hacked=1>^2$.

Too large is $\rule{900em}{900em}$ for any page, and broken is $\frac{1}{$ in the end.

```python
price = "$x^2$"
```
"""


@pytest.fixture(scope="module")
def formulas_address(tmp_path_factory):
    folder, home = tmp_path_factory.mktemp("formulas"), tmp_path_factory.mktemp("formulas_home") / "kb"
    (folder / "relativity.md").write_text(TEXT, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASCERTAIN_")}
    command = [sys.executable, "-m", "ascertain", "add", str(folder), "--home", str(home)]
    subprocess.run(command, check=True, env={**kept, "OMP_NUM_THREADS": "1"}, capture_output=True)
    log = tmp_path_factory.mktemp("formulas_logs") / "service.log"
    with running_page.service(home, running_page.free_port(), log) as address:
        yield address


def test_an_answer_and_its_source_show_formulas_as_they_are_printed(browser, formulas_address):
    with visit(browser) as page:
        page.goto(formulas_address)
        ask(page, "What is the energy of a body at rest?")
        sentence = page.locator(".sentence").first
        expect(sentence.locator("math").first).to_be_visible()
        expect(sentence).not_to_contain_text("$")
        expect(page.locator(".source .quote math").first).to_be_visible()
        page.locator(".chip").first.click()
        expect(page.locator("mark math")).to_have_count(3)
        expect(page.locator('.blocks .formula.block math[display="block"]')).to_be_visible()
        assert find_violations(page) == []


def test_money_code_and_hostile_formulas_stay_text(browser, formulas_address):
    with visit(browser, PHONE) as page:
        page.goto(f"{formulas_address}/?view=documents")
        page.locator(".document .name").first.click()
        blocks = page.locator(".blocks")
        expect(blocks.locator("math").first).to_be_visible()
        expect(blocks).to_contain_text("costs $5 and the other one $6, or US$5/US$6 each.")
        expect(blocks).to_contain_text(r"$\href{javascript:window.hacked=1}{x^2}$")
        expect(blocks).to_contain_text(r"broken is $\frac{1}{$ in the end")
        expect(blocks.locator("pre")).to_contain_text("$x^2$")
        expect(blocks.locator("img, a, script, style")).to_have_count(0)
        assert page.evaluate("window.hacked") is None
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        sizes = blocks.locator(".formula").evaluate_all("all => all.map(each => each.getBoundingClientRect().height)")
        assert max(sizes) < 200
