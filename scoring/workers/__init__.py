"""What worker processes share: advisory locks, log context, the message broker.

Enters: ids and names. Leaves: locks held, log fields set, messages sent. Imports no models, so every subject may use
it.
"""
