"""Ingest on a cluster: the pipeline of one machine cut into stages that run on many.

``stages`` is what workers do, ``engine`` what the driver does; ``ray_data`` connects them and is the only part that knows Ray.
"""
