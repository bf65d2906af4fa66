"""What maintainers see of the site as a whole: what waits for them, queues and workers, and importing with a diff."""
