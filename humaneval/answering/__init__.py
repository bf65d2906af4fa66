"""Answering: the pages of a participant, from the link to the receipt or the withdrawal."""
