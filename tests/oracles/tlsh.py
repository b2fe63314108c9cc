"""TLSH the slow and obvious way: one triple after another, sorted buckets. Imports neither NumPy nor the package.

Written after the paper (Oliver, Cheng, Chen, 2013) and the reference's ``tlsh_impl.cpp``. Length classes are those of
the formula, which the reference's table follows below 190,000 bytes.
"""

import math
import re

# Pearson, CACM 33:6, 1990
PEARSON = [
    1, 87, 49, 12, 176, 178, 102, 166, 121, 193, 6, 84, 249, 230, 44, 163, 14, 197, 213, 181, 161, 85, 218, 80, 64,
    239, 24, 226, 236, 142, 38, 200, 110, 177, 104, 103, 141, 253, 255, 50, 77, 101, 81, 18, 45, 96, 31, 222, 25, 107,
    190, 70, 86, 237, 240, 34, 72, 242, 20, 214, 244, 227, 149, 235, 97, 234, 57, 22, 60, 250, 82, 175, 208, 5, 127,
    199, 111, 62, 135, 248, 174, 169, 211, 58, 66, 154, 106, 195, 245, 171, 17, 187, 182, 179, 0, 243, 132, 56, 148,
    75, 128, 133, 158, 100, 130, 126, 91, 13, 153, 246, 216, 219, 119, 68, 223, 78, 83, 88, 201, 99, 122, 11, 92, 32,
    136, 114, 52, 10, 138, 30, 48, 183, 156, 35, 61, 26, 143, 74, 251, 94, 129, 162, 63, 152, 170, 7, 115, 167, 241,
    206, 3, 150, 55, 59, 151, 220, 90, 53, 23, 131, 125, 173, 15, 238, 79, 95, 89, 16, 105, 137, 225, 224, 217, 160,
    37, 123, 118, 73, 2, 157, 46, 116, 9, 145, 134, 228, 207, 212, 202, 215, 69, 229, 27, 188, 67, 124, 168, 252, 42,
    4, 29, 108, 21, 247, 19, 205, 39, 203, 233, 40, 186, 147, 198, 192, 155, 33, 164, 191, 98, 204, 165, 180, 117, 76,
    140, 36, 210, 172, 41, 54, 159, 8, 185, 232, 113, 196, 231, 47, 146, 120, 51, 65, 28, 144, 254, 221, 93, 189, 194,
    139, 112, 43, 71, 109, 184, 209,
]  # fmt: skip


def pearson(salt, *values):
    state = PEARSON[salt]
    for value in values:
        state = PEARSON[state ^ value]
    return state


def length_class(n):
    if n <= 656:
        return math.floor(math.log(n) / math.log(1.5))
    if n <= 3199:
        return math.floor(math.log(n) / math.log(1.3) - 8.72777)
    return math.floor(math.log(n) / math.log(1.1) - 62.5472)


def digest(data):
    """Digest of bytes, or None."""
    if len(data) < 50:
        return None
    buckets, checksum = [0] * 256, 0
    for end in range(4, len(data)):
        a, b, c, d, e = (data[end - back] for back in range(5))
        checksum = pearson(0, a, b, checksum)
        for salt, triple in ((2, (a, b, c)), (3, (a, b, d)), (5, (a, c, d)), (7, (a, c, e)), (11, (a, b, e)),
                             (13, (a, d, e))):  # fmt: skip
            buckets[pearson(salt, *triple)] += 1
    buckets = buckets[:128]
    q1, q2, q3 = (sorted(buckets)[rank] for rank in (31, 63, 95))
    if q3 == 0 or sum(count > 0 for count in buckets) <= 64:
        return None
    codes = [(count > q1) + (count > q2) + (count > q3) for count in buckets]
    groups = [sum(codes[at + place] << 2 * place for place in range(4)) for at in range(0, 128, 4)]
    swapped = (f"{number % 256:02X}"[::-1] for number in (checksum, length_class(len(data))))
    ratios = "".join(f"{100 * q // q3 % 16:X}" for q in (q1, q2))
    return "T1" + "".join(swapped) + ratios + "".join(f"{group:02X}" for group in reversed(groups))


def is_digest(text):
    return re.fullmatch("T1[0-9A-Fa-f]{70}", text, re.ASCII) is not None


def _around(a, b, size):
    return min((a - b) % size, (b - a) % size)


def distance(a, b):
    """Distance of two digests."""
    a, b = a[2:].upper(), b[2:].upper()
    total = int(a[:2] != b[:2])
    length = _around(int(a[3] + a[2], 16), int(b[3] + b[2], 16), 256)
    total += length if length <= 1 else 12 * length
    for x, y in zip(a[4:6], b[4:6], strict=True):
        ratio = _around(int(x, 16), int(y, 16), 16)
        total += ratio if ratio <= 1 else 12 * (ratio - 1)
    for x, y in zip(a[6:], b[6:], strict=True):
        for shift in (0, 2):
            apart = abs((int(x, 16) >> shift & 3) - (int(y, 16) >> shift & 3))
            total += 6 if apart == 3 else apart
    return total
