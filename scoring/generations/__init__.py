"""From uploaded bytes to lines, and from mistakes to sentences: the parts of `scoring.generations.reader`. Plain
Python."""
