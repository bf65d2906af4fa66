"""A migration that needs two tables, for the tests of ``manage.py migrate``."""
