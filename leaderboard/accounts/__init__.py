"""Accounts: sign-up, sign-in, email addresses, API tokens, deletion; and teams in ``teams``.

Enters: what a person types, or what another site says of them. Leaves: users, tokens and memberships. django-allauth
does the work, adapted in ``adapters`` and ``forms``; django-axes counts failed sign-ins, with ``login_throttling``.
"""
