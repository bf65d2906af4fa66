"""Text processing that the string metrics share: normalisation, tokens, lemmas, stems, bounded caches."""
