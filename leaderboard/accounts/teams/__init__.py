"""Teams: people who submit together, their invitations and roles.

Enters: an account, and its holder's action on a team. Leaves: teams, memberships and invitation emails.
"""
