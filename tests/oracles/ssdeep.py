"""ssdeep the slow and obvious way: every block size from the expected one down, until a string is long enough.

Imports neither NumPy nor the package. After Kornblum, DFRWS 2006, and the behaviour of ssdeep 2.14.
"""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
START, PRIME, MASK = 0x28021967, 0x01000193, 2**32 - 1
WINDOW, LONGEST = 7, 64


def rolling(data):
    """Rolling hash behind every byte."""
    hashes = []
    for end in range(1, len(data) + 1):
        last = [0] * max(0, WINDOW - end) + list(data[max(0, end - WINDOW) : end])
        total = sum(last)
        weighted = sum((place + 1) * byte for place, byte in enumerate(last))
        shifted = 0
        for byte in last:
            shifted = (shifted << 5 ^ byte) & MASK
        hashes.append(total + weighted + shifted & MASK)
    return hashes


def string(data, hashes, block, most):
    """Letters of the pieces at a block size, at most ``most`` of them, and how many pieces were ended."""
    letters, n_ends, state = "", 0, START
    behind = ""  # the last piece that ended without room
    for byte, rolled in zip(data, hashes, strict=True):
        state = (state * PRIME & MASK) ^ byte
        if rolled % block == block - 1:
            n_ends += 1
            if len(letters) < most - 1:
                letters += LETTERS[state % 64]
                state = START
            else:
                behind = LETTERS[state % 64]
    if hashes and hashes[-1] != 0:
        behind = LETTERS[state % 64]
    return letters + behind, n_ends


def digest(data):
    hashes = rolling(data)
    level = 0
    while (3 << level) * LONGEST < len(data):
        level += 1
    # a level is there only if a piece ended on the one below
    while level and not string(data, hashes, 3 << level - 1, LONGEST)[1]:
        level -= 1
    while level and min(string(data, hashes, 3 << level, LONGEST)[1], LONGEST - 1) < LONGEST // 2:
        level -= 1
    first, _ = string(data, hashes, 3 << level, LONGEST)
    second, _ = string(data, hashes, 6 << level, LONGEST // 2)
    return f"{3 << level}:{first}:{second}"


def _shortened(letters):
    kept = ""
    for letter in letters:
        if kept[-3:] != letter * 3:
            kept += letter
    return kept


def _distance(a, b):
    """Insertions and deletions from one to the other."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], before if x == y else 1 + min(row[j], row[j - 1])
    return row[-1]


def _score(a, b, block):
    if not {a[at : at + 7] for at in range(len(a) - 6)} & {b[at : at + 7] for at in range(len(b) - 6)}:
        return 0
    score = 100 - 100 * (_distance(a, b) * LONGEST // (len(a) + len(b))) // LONGEST
    return min(score, block // 3 * min(len(a), len(b))) if block < 45 else score


def compare(a, b):
    (block_a, *a), (block_b, *b) = (text.partition(",")[0].split(":") for text in (a, b))
    block_a, block_b = int(block_a), int(block_b)
    a, b = ([_shortened(letters) for letters in strings] for strings in (a, b))
    if block_a == block_b:
        return 100 if a == b else max(_score(a[0], b[0], block_a), _score(a[1], b[1], 2 * block_a))
    if 2 * block_a == block_b:
        return _score(a[1], b[0], block_b)
    return _score(a[0], b[1], block_a) if block_a == 2 * block_b else 0
