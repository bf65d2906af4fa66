"""Participants: their invitations and links, mails, deadlines, giving up on a participant, exclusion.

Enters: addresses, a shared link, a maintainer's decisions about a participant. Leaves: links by which `answering`
creates participants, mails, and changed participants.
"""
