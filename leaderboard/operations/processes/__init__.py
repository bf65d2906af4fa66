"""The processes of a site: gunicorn's configuration and logs, and Celery's brokers (files, Redis)."""
