"""Tests of the logs of evaluation frameworks."""
