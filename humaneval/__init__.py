"""Human open-book evaluation: studies, participants, the encyclopedia and grading by hand."""
