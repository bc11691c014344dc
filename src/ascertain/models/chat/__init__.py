"""Chat models that give structured replies, within a run's budget. Importing this costs nothing; opening one does."""
