"""The processes of a site: gunicorn's configuration, the supervisor of the demo, the file broker.

Enters: settings from the environment. Leaves: running web, worker and scheduler processes that end together.
"""
