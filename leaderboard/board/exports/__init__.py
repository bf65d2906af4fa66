"""A board as data: files in several formats (`files`) of exactly the requested rows and columns.

A board's table or a snapshot becomes files. ``docs/exports.md`` describes each format field by field; all are derived
from the one document of `schema`.
"""
