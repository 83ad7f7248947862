"""Hosts of other systems' environments: ``host.py``, and an adapter for each system.

They are run by path, with the Python in which the system is installed, and need nothing of this package.
"""
