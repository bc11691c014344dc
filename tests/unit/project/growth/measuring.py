"""How the work on a text grows with its length.

Steps cannot be counted: neither a tracer nor a profiler sees the inside of the regular expressions. So processor time of this thread is
taken, which other programs of a busy machine do not add to, and only where there is enough of it: of two lengths, the second four times the
first, the best of several tries each. Linear work gives a ratio of 4, quadratic one of 16; 8 (an exponent of 1.5) lies far from both.
"""

import gc
import signal
import time
from collections.abc import Callable, Iterable
from itertools import cycle

from attacks import Attack

SHORT, LONG = 5_000, 20_000
"""Characters of a first look."""
FLOOR = 0.004
"""Seconds of processor time for ``SHORT`` characters under which quadratic work does not stay: 12 million steps."""
WORST_RATIO = 8.0
"""(LONG / SHORT) ** 1.5."""
PATIENCE = 1.0
"""Seconds after which a text of 20,000 characters has taken too long whatever it does with the next."""


_NUMBERS = cycle(range(1, 400))


class _TookTooLong(BaseException):
    pass


def find_growth(work: Callable[[str], object], attacks: Iterable[Attack]) -> str | None:
    """What keeps the work busy for longer than linear in its length, in words; None where no attack does."""
    for attack in attacks:
        if _is_quick(work, attack):
            continue
        first = _ratio(work, attack, SHORT, tries=1)
        if first <= WORST_RATIO:
            continue
        # once more, longer and with care: a pause of the machine's is no growth
        surely = (
            min(_ratio(work, attack, SHORT, tries=3), _ratio(work, attack, 2 * SHORT, tries=2)) if first < 99 else first
        )
        if surely > WORST_RATIO:
            return f"{attack.head[-12:]!r} + {attack.pump!r} × n + {attack.tail[:8]!r}: {surely:.0f} times the work for 4 times the text"
    return None


def _is_quick(work: Callable[[str], object], attack: Attack) -> bool:
    return measure_work(work, attack.of_length(SHORT)) < FLOOR


def _ratio(work: Callable[[str], object], attack: Attack, length: int, tries: int) -> float:
    # each try has a text of its own: the package remembers what it made of a text
    short = min(measure_work(work, attack.of_length(length + next(_NUMBERS))) for _ in range(tries))
    if short == float("inf"):
        return short
    long = min(measure_work(work, attack.of_length(LONG // SHORT * length + next(_NUMBERS))) for _ in range(tries))
    return long / max(short, FLOOR)


def measure_work(work: Callable[[str], object], text: str) -> float:
    """Processor time; infinite where it is more than ``PATIENCE``. A text that is refused has been dealt with."""
    gc.disable()
    before = signal.signal(signal.SIGVTALRM, _interrupt)
    began = time.thread_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
        try:
            work(text)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _TookTooLong:
        return float("inf")
    except RecursionError:
        raise
    except Exception:
        pass
    finally:
        signal.signal(signal.SIGVTALRM, before)
        gc.enable()
    return time.thread_time() - began


def _interrupt(*_: object) -> None:
    raise _TookTooLong
