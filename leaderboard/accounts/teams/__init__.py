"""Teams of accounts: members, roles, and invitations by mail."""
