"""Serializers: the format of the API's requests and responses, one module per subject.

They turn results of queries, and data of requests, into JSON-ready data with the fields of the OpenAPI schema.
"""
