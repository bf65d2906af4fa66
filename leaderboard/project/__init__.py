"""The Django project: settings, URLs, Celery, WSGI, and the commands that span apps. It may import all apps."""
