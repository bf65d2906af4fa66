"""Shared by worker processes: advisory locks, log context, the message broker.

Enters: ids and names. Leaves: acquired locks, log fields, sent messages. Imports no models, so every subject may use
it.
"""
