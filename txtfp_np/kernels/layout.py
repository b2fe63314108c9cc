"""What the numbers in the frozen tables mean; shared by the builder, the loader and the kernels.

Two kinds of tables over all code points, each one ``uint16`` array with equal blocks stored once:

* A *trie* goes by code point: ``trie[cp >> 7]`` is a block number, ``trie[TRIE_INDEX + 128 * block +
  (cp & 127)]`` the value.
* A *UTF-8 trie* goes by bytes, so that text is classified without being decoded. ``trie[lead << 6 |
  second & 63]`` is the value for one and two bytes (for one byte whatever follows it), else
  ``UTF8_DEEPER`` plus a block number: ``trie[UTF8_INDEX + 64 * block + (third & 63)]`` is the value
  for three bytes, and points to one more block for four.
"""

from __future__ import annotations

N_CODE_POINTS = 0x110000
TRIE_SHIFT = 7
TRIE_BLOCK = 1 << TRIE_SHIFT
TRIE_INDEX = N_CODE_POINTS >> TRIE_SHIFT

UTF8_INDEX = 256 * 64
UTF8_DEEPER = 0x8000

# ── canonical pipelines ─────────────────────────────────────────────────────────────────────────
# One UTF-8 trie a pipeline gives every code point the code that says how far it is from plain copying.
PLAIN = 0  # unchanged, and nothing that follows composes with it
PLAIN_FORWARD = 1  # unchanged, but a mark that follows may compose with it
DROP_FORMAT = 2  # removed by strip_format, plain otherwise
DROP_BIDI = 3  # removed by strip_format or strip_bidi, plain otherwise
COMPLEX = 4  # always through the full algorithm, with its neighbours
MAYBE = 5  # starter that may compose with the one before it
MAYBE_FORWARD = 6  # the same, and what follows may compose with it
MARK = 16  # + combining class: unchanged while the classes do not fall
MAYBE_MARK = 272  # + combining class: a mark that may compose with the starter before it
MAPPED = 528  # + number of its replacement, the pipeline's output for it alone

# A replacement: its first 8 UTF-8 bytes in one word, and this description of it.
REPLACEMENT_LENGTH = 0xFF  # bytes of UTF-8
REPLACEMENT_TANGLED = 0x100  # holds marks: a mark that follows has to be ordered with them
REPLACEMENT_OFFSET_SHIFT = 9  # position in the pool of replacements longer than 8 bytes

#: name -> (decomposition, composes, mapping): what the full algorithm does for a pipeline
PIPELINES = {
    "nfkc-fold": ("compatibility", True, "fold"),
    "nfc-fold": ("canonical", True, "fold"),
    "none-fold": (None, False, "fold"),
    "nfkc": ("compatibility", True, None),
    "nfc": ("canonical", True, None),
    "none": (None, False, None),
    "skeleton": ("canonical", False, "confusable"),
}

# ── word segmentation (UAX #29) ─────────────────────────────────────────────────────────────────
WORD_CLASSES = (
    "Other",
    "CR",
    "LF",
    "Newline",
    "Extend",
    "ZWJ",
    "Format",
    "Regional_Indicator",
    "Katakana",
    "Hebrew_Letter",
    "ALetter",
    "Single_Quote",
    "Double_Quote",
    "MidNumLet",
    "MidLetter",
    "MidNum",
    "Numeric",
    "ExtendNumLet",
    "WSegSpace",
    "Pictographic",  # Other and Extended_Pictographic
    "PictographicLetter",  # ALetter and Extended_Pictographic: six code points
)
WORD_FLAG_SHIFT = 5
WORD_ALPHANUMERIC = 1 << WORD_FLAG_SHIFT  # flag: Alphabetic or a number, what makes a segment a word

# ── grapheme segmentation (UAX #29) ─────────────────────────────────────────────────────────────
GRAPHEME_CLASSES = (
    "Other",
    "CR",
    "LF",
    "Control",
    "Extend",  # not part of an Indic conjunct
    "ConjunctExtend",  # Extend with InCB=Extend
    "Linker",  # Extend with InCB=Linker
    "ZWJ",
    "Regional_Indicator",
    "Prepend",
    "SpacingMark",
    "L",
    "V",
    "T",
    "LV",
    "LVT",
    "Pictographic",
    "Consonant",  # Other with InCB=Consonant
)

# ── sentence segmentation (UAX #29) ─────────────────────────────────────────────────────────────
SENTENCE_CLASSES = (
    "Other",
    "CR",
    "LF",
    "Sep",
    "Extend",
    "Format",
    "Sp",
    "Lower",
    "Upper",
    "OLetter",
    "Numeric",
    "ATerm",
    "STerm",
    "Close",
    "SContinue",
)
SENTENCE_ALPHANUMERIC = 1 << 5  # flag: Alphabetic or a number, what a sentence needs one of
SENTENCE_WHITE_SPACE = 1 << 6  # flag: White_Space, what is trimmed off
