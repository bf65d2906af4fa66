"""Benchmarks that are declared in a folder with ``benchmark.toml``, without Python code.

Enters: a folder or a zip archive. Leaves: a `scoring.benchmarks.base.BenchmarkDefinition` with its questions, or every
mistake with file, line and field. `scoring.benchmarks.form` declares the format.
"""
