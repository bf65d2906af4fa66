"""Django's folder for commands; those that span apps are in ``commands``."""
