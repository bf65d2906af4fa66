"""Serializers: the shape of what the API sends and takes, one module a subject.

Enters: the values of queries, or the data of a request. Leaves: JSON-ready data with the fields of the OpenAPI schema.
"""
