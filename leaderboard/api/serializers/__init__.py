"""Serializers: the format of the API's requests and responses, one module per subject.

Enters: the results of queries, or the data of a request. Leaves: JSON-ready data with the fields of the OpenAPI schema.
"""
