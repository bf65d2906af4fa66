"""The command line that scores files without a database: ``python -m scoring`` and its subcommands.

Enters: files of references, generations or receipts. Leaves: reports on standard output and an exit status. This
package does not import Django.
"""
