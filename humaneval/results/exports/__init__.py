"""The export of a study: every table as JSON Lines and as CSV, with a README that defines each field."""
