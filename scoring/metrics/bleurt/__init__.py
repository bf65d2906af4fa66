"""BLEURT: a learned similarity of two texts, from a checkpoint that was installed on this machine beforehand.

Importing this package loads neither PyTorch nor a model, and only ``python -m scoring.metrics.bleurt fetch`` ever opens
a network connection.
"""

from scoring.metrics.bleurt.checkpoint import CheckpointError, unavailable_reason
from scoring.metrics.bleurt.metric import Bleurt
