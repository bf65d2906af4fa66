"""Participants: their invitations and links, mails to them, deadlines, giving up on somebody, exclusion.

Enters: addresses, a shared link, what a maintainer decides about somebody. Leaves: links by which `answering` makes
participants, mails, and changed participants.
"""
