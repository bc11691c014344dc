"""What people who write programs have: documentation in markup, notebooks, source code."""
