"""Moderation: publication requests, unusual submissions, and what a maintainer decides about them.

Enters: requests to publish and anomalies found by a worker. Leaves: decisions with a message to the submitter and an
audit record.
"""
