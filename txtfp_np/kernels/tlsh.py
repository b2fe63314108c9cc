"""TLSH digests: buckets of hashed byte triples, their quartiles, two bits a bucket.

A byte and the four before it give six triples, and each adds one to the bucket that a Pearson hash of it
names. Of the three look-ups of a hash the first two depend on two bytes only: they are made once for all
pairs of bytes. The last one is a permutation of the buckets: it is left out, and the counts change places
when a document is done. That leaves three loads a byte, and one look-up for the checksum.

A packed digest has 35 bytes: checksum, length and quartiles, each with its halves as in the hexadecimal text,
then the codes of the buckets, the last four buckets first.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel

LEAST_BYTES = 50
PACKED_BYTES = 35

# P. K. Pearson, "Fast hashing of variable-length text strings", CACM 33:6, 1990: the permutation printed there
PERMUTATION = np.frombuffer(
    bytes.fromhex(
        "0157310cb0b266a679c10654f9e62ca30ec5d5b5a155da5040ef18e2ec8e26c86eb168678dfdff324d655112"
        "2d601fde196bbe4656edf02248f214d6f4e395eb61ea39163cfa52afd0057fc76f3e87f8aea9d33a429a6ac3"
        "f5ab11bbb6b300f38438944b80859e64827e5b0d99f6d8db7744df4e5358c9637a0b5c208872340a8a1e30b7"
        "9c233d1a8f4afb5e81a23f98aa0773a7f1ce0396373b97dc5a3517837dad0fee4f5f59106989e1e0d9a0257b"
        "7649029d2e74099186e4cfd4cad745e51bbc437ca8fc2a041d6c15f713cd27cbe928ba93c6c09b21a4bf62cc"
        "a5b4754c8c24d2ac29369f08b9e871c4e72f927833411c90fedd5dbdc28b702b476db8d1"
    ),
    np.uint8,
)

# Longest input of each length class, as the reference implementation has it (``topval`` of tlsh_util.cpp): powers of
# 1.5, 1.3 and 1.1 in single precision, which no formula gives back to the last digit
LONGEST = np.array(
    [
        1, 2, 3, 5, 7, 11, 17, 25, 38, 57, 86, 129, 194, 291, 437, 656, 854, 1110, 1443, 1876, 2439, 3171, 3475, 3823,
        4205, 4626, 5088, 5597, 6157, 6772, 7450, 8195, 9014, 9916, 10907, 11998, 13198, 14518, 15970, 17567, 19323,
        21256, 23382, 25720, 28292, 31121, 34233, 37656, 41422, 45564, 50121, 55133, 60646, 66711, 73382, 80721, 88793,
        97672, 107439, 118183, 130002, 143002, 157302, 173032, 190335, 209369, 230306, 253337, 278670, 306538, 337191,
        370911, 408002, 448802, 493682, 543050, 597356, 657091, 722800, 795081, 874589, 962048, 1058252, 1164078,
        1280486, 1408534, 1549388, 1704327, 1874759, 2062236, 2268459, 2495305, 2744836, 3019320, 3321252, 3653374,
        4018711, 4420582, 4862641, 5348905, 5883796, 6472176, 7119394, 7831333, 8614467, 9475909, 10423501, 11465851,
        12612437, 13873681, 15261050, 16787154, 18465870, 20312458, 22343706, 24578077, 27035886, 29739474, 32713425,
        35984770, 39583245, 43541573, 47895730, 52685306, 57953837, 63749221, 70124148, 77136564, 84850228, 93335252,
        102668779, 112935659, 124229227, 136652151, 150317384, 165349128, 181884040, 200072456, 220079703, 242087671,
        266296456, 292926096, 322218735, 354440623, 389884688, 428873168, 471760495, 518936559, 570830240, 627913311,
        690704607, 759775136, 835752671, 919327967, 1011260767, 1112386880, 1223623232, 1345985727, 1480584256,
        1628642751, 1791507135, 1970657856, 2167723648, 2384496256, 2622945920, 2885240448, 3173764736, 3491141248,
        3840255616, 4224281216,
    ],
    np.int64,
)  # fmt: skip

# Salts of the six triples and of the checksum, after their own look-up (2, 3, 5, 7, 11, 13 and 0 in the reference)
_SALT_012, _SALT_013, _SALT_023, _SALT_024, _SALT_014, _SALT_034, _SALT_CHECK = 49, 12, 178, 166, 84, 230, 1

_N_BUCKETS = 128
# What names a bucket, before the look-up that was left out
_UNPERMUTED = np.argsort(PERMUTATION)[:_N_BUCKETS].astype(np.uint64)
_EIGHT, _OTHER_HALF = np.uint64(8), np.uint64(256)


@kernel
def pair_hashes(first, second, third):
    """First two look-ups of every triple, for all pairs of bytes.

    Parameters
    ----------
    first : uint32[65536]
        Written: of a byte and the one before it, for triples 012, 013, 014 and the checksum.
    second : uint16[65536]
        Written: of a byte and the second before it, for triples 023 and 024.
    third : uint8[65536]
        Written: of a byte and the third before it, for triple 034.
    """
    table = PERMUTATION
    for byte in range(256):
        for other in range(256):
            at = byte << 8 | other
            first[at] = (
                np.uint32(table[table[_SALT_012 ^ byte] ^ other])
                | np.uint32(table[table[_SALT_013 ^ byte] ^ other]) << np.uint32(8)
                | np.uint32(table[table[_SALT_014 ^ byte] ^ other]) << np.uint32(16)
                | np.uint32(table[table[_SALT_CHECK ^ byte] ^ other]) << np.uint32(24)
            )
            second[at] = table[table[_SALT_023 ^ byte] ^ other] | table[table[_SALT_024 ^ byte] ^ other] << 8
            third[at] = table[table[_SALT_034 ^ byte] ^ other]


@helper
def _count_triples(data, pairs, counts):
    """Count all triples of ``data`` by the name of their bucket; returns the checksum.

    ``counts`` is two halves of 256 which take turns: adding to a place again that was just written has to wait.
    """
    first, second, third = pairs
    table = PERMUTATION
    low = np.uint64(255)
    checksum = np.uint64(0)
    w1, w2, w3, w4 = np.uint64(data[3]), np.uint64(data[2]), np.uint64(data[1]), np.uint64(data[0])
    for at in range(np.uint64(4), np.uint64(len(data))):
        w0 = np.uint64(data[at])
        row = w0 << _EIGHT
        with_1 = np.uint64(first[row | w1])
        with_2 = np.uint64(second[row | w2])
        with_3 = np.uint64(third[row | w3])
        checksum = np.uint64(table[with_1 >> np.uint64(24) ^ checksum])
        counts[with_1 & low ^ w2] += np.uint32(1)
        counts[_OTHER_HALF | with_1 >> _EIGHT & low ^ w3] += np.uint32(1)
        counts[with_1 >> np.uint64(16) & low ^ w4] += np.uint32(1)
        counts[_OTHER_HALF | with_2 & low ^ w3] += np.uint32(1)
        counts[with_2 >> _EIGHT ^ w4] += np.uint32(1)
        counts[_OTHER_HALF | with_3 ^ w4] += np.uint32(1)
        w4, w3, w2, w1 = w3, w2, w1, w0
    return checksum


@helper
def _fill_buckets(counts, buckets):
    """Both halves of ``counts`` added, each where the last look-up puts it."""
    for name in range(256):  # apart from the gathering, so that LLVM vectorises it
        counts[name] += counts[256 + name]
    for bucket in range(_N_BUCKETS):
        buckets[bucket] = counts[_UNPERMUTED[bucket]]


@helper
def _smallest(buckets, rank, low, high):
    """The element of this rank, counted from 0, known to lie in ``low..high``; halves the range until it is found."""
    while low < high:
        middle = low + (high - low) // np.uint32(2)
        n_not_above = 0
        for bucket in range(_N_BUCKETS):
            n_not_above += np.int64(buckets[bucket] <= middle)
        if n_not_above > rank:
            high = middle
        else:
            low = middle + np.uint32(1)
    return low


@helper
def _ratio(part, whole):
    """A quartile in percent of the third, its lowest four bits; single precision, as in the reference."""
    percent = np.float32(np.uint32(part * np.uint32(100))) / np.float32(whole)
    return np.int64(percent) & 15


@helper
def _write_codes(buckets, q1, q2, q3, out):
    for group in range(32):
        code = 0
        for place in range(4):
            count = buckets[4 * group + place]
            level = np.int64(count > q1) + np.int64(count > q2) + np.int64(count > q3)
            code |= level << 2 * place
        out[34 - group] = code


@kernel
def tlsh_rows(data, offsets, pairs, packed, ok):
    """Packed digest of every document.

    Parameters
    ----------
    data : uint8[:], read-only
    offsets : int64[n + 1], read-only
    pairs : (uint32[65536], uint16[65536], uint8[65536]), read-only
        From :func:`pair_hashes`.
    packed : uint8[n, 35]
        Written; zeros where there is no digest.
    ok : bool[n]
        Written: False for documents that are too short or too uniform.

    Notes
    -----
    Oracle: ``tests/oracles/tlsh.py``.
    """
    counts, buckets = np.empty(512, np.uint32), np.empty(_N_BUCKETS, np.uint32)
    for row in range(len(offsets) - 1):
        out = packed[row]
        out[:] = 0
        text = data[offsets[row] : offsets[row + 1]]
        ok[row] = False
        if len(text) < LEAST_BYTES:
            continue
        counts[:] = 0
        checksum = _count_triples(text, pairs, counts)
        _fill_buckets(counts, buckets)
        largest, n_used = np.uint32(0), 0
        for bucket in range(_N_BUCKETS):
            largest = max(largest, buckets[bucket])
            n_used += np.int64(buckets[bucket] > 0)
        if n_used <= _N_BUCKETS // 2:
            continue
        q2 = _smallest(buckets, 63, np.uint32(0), largest)
        q1 = _smallest(buckets, 31, np.uint32(0), q2)
        q3 = _smallest(buckets, 95, q2, largest)  # not 0: more than half of the buckets are not
        ok[row] = True
        length = np.searchsorted(LONGEST, len(text))
        out[0] = (checksum & np.uint64(15)) << np.uint64(4) | checksum >> np.uint64(4)
        out[1] = (length & 15) << 4 | length >> 4
        out[2] = _ratio(q1, q3) << 4 | _ratio(q2, q3)
        _write_codes(buckets, q1, q2, q3, out)


@kernel
def text_of_packed(packed, ok, out):
    """Packed digests as ``T1`` and 70 upper-case hexadecimal digits.

    Parameters
    ----------
    packed : uint8[n, 35], read-only
    ok : bool[n], read-only
        Where there is a digest.
    out : uint8[n, 72]
        Written; zeros where there is none.
    """
    for row in range(len(packed)):
        text = out[row]
        if not ok[row]:
            text[:] = 0
            continue
        text[0], text[1] = 84, 49  # T1
        for place in range(PACKED_BYTES):
            high, low = packed[row, place] >> 4, packed[row, place] & 15
            text[2 + 2 * place] = high + (48 if high < 10 else 55)
            text[3 + 2 * place] = low + (48 if low < 10 else 55)
