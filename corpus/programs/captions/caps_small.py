"""The small model; its decoder comes from another package."""
import numpy as np

import caption_decoders

WIDTH = np.int64(256)
DECODER = caption_decoders.Greedy
