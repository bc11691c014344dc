"""What answers in other words than the question's is shown where the judge finds that it answers."""

from __future__ import annotations

from ascertain import Ascertain

LEASE = """# Lease of the workshop at 14 Quay Street

## 1. Term
The lease runs for five years from 1 April 2025. Either party may end it after three years with six months' written notice.

## 2. Rent
The rent is 1,850 euros a month, due on the first working day. The tenant pays a deposit of 5,550 euros before moving in.

## 3. Use
The premises are used as a workshop and a shop. Subletting needs the landlord's written consent. No open fire is allowed in the yard.

## 4. Repairs
The landlord keeps the roof, the outer walls and the heating in repair. The tenant keeps the inside in good order.
"""


def test_an_everyday_word_that_nothing_says_refuses_no_answer(tmp_path):
    (tmp_path / "lease.md").write_text(LEASE)
    with Ascertain.open(tmp_path / "kb") as knowledge:
        knowledge.add([str(tmp_path / "lease.md")])
        answer = knowledge.ask("can I end the lease early?")
        assert "Either party may end it after three years" in answer.text
        assert answer.confidence.score >= 50
        near_miss = knowledge.ask("can I paint the lease green?")
        assert "could not find" in near_miss.text
