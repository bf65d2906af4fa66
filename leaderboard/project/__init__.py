"""The Django project: settings, URLs, Celery, WSGI, and the commands that span apps. It may import all apps.

Enters: environment variables, requests and command lines. Leaves: a configured site, and the subject that replies.
"""
