"""Receipts: signed statements of what was submitted and which scores it got.

Enters: a submission with finished runs. Leaves: a signed JSON document, and the verification of such documents.
"""
