"""Benchmarks as tasks of evaluation frameworks: what `manyhop.inspect` and `manyhop.lm_eval` share.

They are given the name of a benchmark, a split, a setting, and where its questions are, and get questions with their
ids, prompts, articles of Wikipedia, and the scores of answers. Neither framework is imported here.
"""
