"""A gzip and a zip file that expand to themselves, for ever.

usage: quine.py gzip|zip OUT

The construction is Russ Cox's ("Zip files all the way down"). Let L(n) be the
instruction that prints the n bytes after it (a stored block of deflate) and
R(n) the one that prints once more the n bytes printed last (copies). With all
instructions of five bytes each, what stands on the left prints what stands on
the right, and either column is the same file:

    head                                        nothing: it is no instruction
    L(head+5)  head L(head+5)                   head L(head+5)
    R(head+5)                                   head L(head+5)
    L(5)       R(head+5)                        R(head+5)
    L(5)       L(5)                             L(5)
    L(20)      R(head+5) L(5) L(5) L(20)        R(head+5) L(5) L(5) L(20)
    R(20)                                       R(head+5) L(5) L(5) L(20)
    L(20)      R(20) L(20) R(20) L(20)          R(20) L(20) R(20) L(20)
    R(20)                                       R(20) L(20) R(20) L(20)
    L(20)      R(20) L(0) L(0) L(end)           R(20) L(0) L(0) L(end)
    R(20)                                       R(20) L(0) L(0) L(end)
    L(0)
    L(0)
    L(end)     R(end) tail                      R(end) tail
    R(end)                                      R(end) tail
    tail                                        nothing

Head and tail hold the checksum of the whole, themselves included. CRC-32 is
linear in the bits, so that the one which fits is the solution of 32 equations.
"""
import struct
import sys
import zlib


def literal(n):
    return struct.pack("<BHH", 0, n, n ^ 0xffff)


class Bits:
    def __init__(self):
        self.value = self.n = 0

    def put(self, value, n):  # the lowest bit first
        self.value |= value << self.n
        self.n += n

    def code(self, value, n):  # Huffman codes: the highest bit first
        self.put(int(format(value, "0%db" % n)[::-1], 2), n)

    def bytes(self):
        return self.value.to_bytes((self.n + 7) // 8, "little")


def place(value, bases, extras):
    """The code of a length or distance, and the bits after it."""
    i = max(i for i, base in enumerate(bases) if base <= value)
    return i, value - bases[i], extras[i]


def table(first, step):
    """Where the codes begin, and how many bits follow each of them."""
    bases, extras = [first], []
    while len(extras) < 28:
        i = len(extras)
        extras.append(max(0, i // step - 1))
        bases.append(bases[-1] + (1 << extras[-1]))
    return bases[:28], extras


LENGTHS, DISTANCES = table(3, 4), table(1, 2)


def repeat(lengths, distance, last=False, empty=False):
    """A block of copies; an empty block after it fills it to five bytes."""
    b = Bits()
    b.put(last | 1 << 1, 3)
    for length in lengths:
        i, rest, n = place(length, *LENGTHS)
        assert i < 23  # codes of seven bits
        b.code(1 + i, 7)
        b.put(rest, n)
        i, rest, n = place(distance, *DISTANCES)
        b.code(i, 5)
        b.put(rest, n)
    b.code(0, 7)
    if empty:
        b.put(1 << 1, 3)
        b.code(0, 7)
    assert last or b.n == 40, b.n
    return b.bytes()


def whole(head, again, tail, end):
    """again: R(head+5). end: R of itself and the tail."""
    l5, l20, r20 = literal(5), literal(20), repeat((10, 10), 20)
    lhead, l0 = literal(len(head) + 5), literal(0)
    lend = literal(len(end) + len(tail))
    return (head + lhead + head + lhead + again + l5 + again + l5 + l5 + l20 +
            again + l5 + l5 + l20 + r20 + l20 + r20 + l20 + r20 + l20 + r20 +
            l20 + r20 + l0 + l0 + lend + r20 + l0 + l0 + lend + end + tail +
            end + tail)


def gzip(crc, size):
    head = b"\x1f\x8b\x08\x08" + bytes(6) + b"q.gz\0"
    return whole(head, repeat((10, 10), 20), struct.pack("<LL", crc, size),
                 repeat((6, 7), 13, last=True))


def zip(crc, size):
    name = b"this-is-the-archive-itself.zip"
    head_size, tail_size = 60, 98
    same = struct.pack("<HHHHHLLLHH", 20, 0, 8, 0, 0, crc,
                       max(0, size - head_size - tail_size), size, len(name),
                       0)
    head = b"PK\3\4" + same + name
    tail = b"PK\1\2" + struct.pack("<H", 20) + same + bytes(14) + name
    tail += b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(tail),
                                    size - tail_size if size else 0, 0)
    return whole(head, repeat((65,), 65, empty=True), tail,
                 repeat((102,), 102, last=True))


def solve(make):
    """The file whose checksum is the one that it holds."""
    size = len(make(0, 0))
    value = zlib.crc32(make(0, size))
    # crc32(make(c)) = value ^ the effect of each bit of c; wanted: c
    rows = []
    for bit in range(32):
        effect = zlib.crc32(make(1 << bit, size)) ^ value ^ 1 << bit
        rows.append((effect, 1 << bit))
    crc = 0
    for bit in range(32):
        at = next(i for i, (e, _) in enumerate(rows) if e >> bit & 1)
        effect, bits = rows.pop(at)
        rows = [(e ^ effect, b ^ bits) if e >> bit & 1 else (e, b)
                for e, b in rows]
        if value >> bit & 1:
            value ^= effect
            crc ^= bits
    data = make(crc, size)
    assert zlib.crc32(data) == crc and len(data) == size
    return data


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as out:
        out.write(solve({"gzip": gzip, "zip": zip}[sys.argv[1]]))
