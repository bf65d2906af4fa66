"""Shared by worker processes: advisory locks, log context, the message broker.

Imports no models, so every subject may use it.
"""
