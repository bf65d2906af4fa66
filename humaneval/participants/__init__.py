"""Participants: invitations, invitation links, mails, deadlines, withdrawal and exclusion.

Enters: addresses or a shared link. Leaves: participants with their place in a study.
"""
