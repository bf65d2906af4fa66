"""Participants: their invitations and links, mails, deadlines, giving up on a participant, exclusion."""
