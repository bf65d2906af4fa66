"""Load as users make it, and a site of several machines."""
