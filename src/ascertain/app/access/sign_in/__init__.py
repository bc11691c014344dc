"""Signing in without a key: by a proxy that names who asks, or at an OpenID Connect provider."""
