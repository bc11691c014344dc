"""Files as bytes: what they are, how they are decoded, what their names say, what archives hold."""
