"""Management commands of the site, in Django's standard location."""
