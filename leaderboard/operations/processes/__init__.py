"""The processes of a site: gunicorn's configuration, the file broker.

Enters: settings from the environment. Leaves: running web, worker and scheduler processes that end together.
"""
