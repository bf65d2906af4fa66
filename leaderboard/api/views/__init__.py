"""The API: thin views over the same services, queries and intake as the pages."""
