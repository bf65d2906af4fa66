"""Teams: people who submit together, their invitations and roles.

Enters: an account and what its owner asks for. Leaves: teams, memberships and invitation mails.
"""
