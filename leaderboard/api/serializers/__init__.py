"""Serializers: the format of the API's requests and responses, one module per subject.

They turn results of queries, and data of requests, into JSON-ready data with the fields of the OpenAPI schema. Those of
a record name what is sent of it; type and description of a field are the record's (`records.serializer_of`).
"""
