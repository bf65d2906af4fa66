"""Teams: people who submit together, their invitations and roles.

Enters: an account, and what its owner does with a team. Leaves: teams, memberships and invitation emails.
"""
