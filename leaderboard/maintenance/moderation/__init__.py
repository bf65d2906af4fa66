"""Moderation: publication requests, unusual submissions, and maintainers' decisions about them.

Enters: requests to publish and anomalies found by a worker. Leaves: decisions with a message to the submitter and an
audit record.
"""
