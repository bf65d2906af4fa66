"""Pages and services for maintainers, with moderation in ``moderation``. Each change has a record in the audit log."""
