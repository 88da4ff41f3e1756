"""Pre-training entry point."""
import os

from lab import Run

SETTINGS = {
    "hidden": 768,
<<<<<<< HEAD
    "layers": 12,
=======
    "layers": 24,
>>>>>>> wider-model
}

if __name__ == "__main__":
    Run("merge").config(SETTINGS)
