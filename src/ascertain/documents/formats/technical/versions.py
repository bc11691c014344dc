"""How Sphinx prints what a page says of versions (``sphinx.domains.changeset``)."""

VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
