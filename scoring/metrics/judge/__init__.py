"""Asking a language model for verdicts, over the network, for money: without Django, so that it can be tried alone.

``endpoint`` is one address that speaks the chat completions API and what can go wrong there, ``replies`` what it may
send back, ``limits`` the pace, ``client`` the pool of workers that asks, ``batches`` the provider's Batch API.
"""
