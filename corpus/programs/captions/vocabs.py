"""Words and their numbers."""
import spelling

LIMIT = 5000


class Vocabulary:
    def __init__(self):
        self.words = spelling.common(LIMIT)
