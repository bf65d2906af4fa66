"""The Django project: settings, URLs, Celery, WSGI, the context of pages, demo, commands. It may import all apps."""
