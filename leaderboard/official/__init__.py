"""Taking over what a benchmark's own repository holds: submissions, scored here, and results, only reported."""
