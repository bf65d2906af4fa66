"""Commands of humaneval, for `manage.py`."""
