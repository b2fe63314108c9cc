"""Stage 3: signatures.

==============  ====================================================================
``base``        the :class:`Fingerprinter` protocol, and what all sketches share
``stages``      canonical text, tokens and hashes of a block, each made once
``hashing``     hash families and a user's own functions
``minhash``     :class:`MinHashFingerprinter`
``simhash``     :class:`SimHashFingerprinter`, ``idf``: its tables of weights
``flyhash``     :class:`FlyHashFingerprinter`
``tlsh``        :class:`TlshFingerprinter`
``fuzzy``       :class:`FuzzyFingerprinter`, ssdeep's strings
``winnowing``   :class:`WinnowFingerprinter`; ``passages``: what two texts share
``run``         blocks through stages into arrays; ``giant``: documents too large for a block
``seomoz``      the text hash of seomoz/simhash, for fingerprints made with it
``many``        several sketches in one pass
``streaming``   documents in pieces, ``online``: in memory that does not grow
==============  ====================================================================
"""

from .base import Fingerprinter
from .flyhash import FlyForm, FlyHashFingerprinter
from .fuzzy import FuzzyFingerprinter
from .idf import IdfTable
from .many import fingerprint_many
from .minhash import MinHashFingerprinter, merge
from .passages import winnow_match
from .seomoz import seomoz_simhash
from .simhash import SimHashFingerprinter, Tie, Weighting
from .streaming import MinHashStreaming, SimHashStreaming, StreamingFingerprinter
from .tlsh import TlshFingerprinter
from .winnowing import WinnowColumn, WinnowFingerprinter, WinnowRow

__all__ = [
    "Fingerprinter",
    "FlyForm",
    "FlyHashFingerprinter",
    "FuzzyFingerprinter",
    "IdfTable",
    "MinHashFingerprinter",
    "MinHashStreaming",
    "SimHashFingerprinter",
    "SimHashStreaming",
    "StreamingFingerprinter",
    "Tie",
    "TlshFingerprinter",
    "Weighting",
    "WinnowColumn",
    "WinnowFingerprinter",
    "WinnowRow",
    "fingerprint_many",
    "merge",
    "seomoz_simhash",
    "winnow_match",
]
