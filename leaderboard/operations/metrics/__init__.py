"""What Prometheus reads: requests as each process saw them, and the state of the site as the database has it."""
