"""``ascertain eval`` and ``tune``."""
