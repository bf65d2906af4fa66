"""The part of the API that is about studies."""
