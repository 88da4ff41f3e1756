"""Which words are spelled the same everywhere."""
import vocabs

TABLE = [str(i) for i in range(vocabs.LIMIT)]


def common(limit):
    return TABLE[:limit]
