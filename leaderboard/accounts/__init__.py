"""Accounts: sign-up, sign-in, email addresses, API tokens, deletion; and teams in ``teams``.

django-allauth does the work, adapted in ``adapters`` and ``forms``; django-axes counts failed sign-ins.
"""
