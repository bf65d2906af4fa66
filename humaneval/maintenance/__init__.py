"""Pages for the maintainer of a study: create, invite, monitor, exclude, export, publish, delete."""
