"""Cross-encoders: models that read two texts together and give one logit a label."""
