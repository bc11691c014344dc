"""The parts of the suite of chunk stores."""
