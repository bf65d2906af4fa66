"""Accounts: sign-up, sign-in, email addresses, API tokens, deletion; and teams in ``teams``.

Enters: a person's input, or another site's data about the person. Leaves: users, tokens and memberships. django-allauth
does the work, adapted in ``adapters`` and ``forms``; django-axes counts failed sign-ins.
"""
