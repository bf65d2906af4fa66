"""Text processing that the string metrics share: normalisation, tokens, lemmas, stems, bounded caches.

Enters: strings. Leaves: normalised strings and tokens, equal to those of the libraries that the official scorer uses.
"""
