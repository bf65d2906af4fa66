"""The processes of a site: gunicorn's configuration, the file broker.

Settings from the environment become web, worker and scheduler processes that end together.
"""
