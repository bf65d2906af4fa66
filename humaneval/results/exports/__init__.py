"""The export of a study: every table as JSON Lines and as CSV, with a README that defines each field."""

from humaneval.results.exports.archive import export_name, write_export
from humaneval.results.exports.tables import TABLES, Table, tables_of

__all__ = ["TABLES", "Table", "export_name", "tables_of", "write_export"]
