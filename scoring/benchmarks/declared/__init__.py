"""Benchmarks that are declared in a folder with ``benchmark.toml``, without Python code.

A folder, or a zip archive of it, is read as a `scoring.benchmarks.base.BenchmarkDefinition` with its questions; or
every mistake is named with file, line and field. `scoring.benchmarks.form` declares the format.
"""
