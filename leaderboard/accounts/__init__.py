"""Accounts: who somebody is, how they sign in, and the teams they are in.

Signing up and in, mail addresses and other sites' accounts are django-allauth's; what it is told stands in ``adapters``
and ``forms``. How often it may be tried is django-axes', with ``lockout`` to count. Teams are our own.
"""
