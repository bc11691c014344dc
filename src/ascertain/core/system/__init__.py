"""The process and the machine: private files, processor time, plugins, extras."""
