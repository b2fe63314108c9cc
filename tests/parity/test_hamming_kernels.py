"""Kernels of the Hamming index: intrinsics equal to their twins, the same results without the JIT."""

import json
import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from txtfp_np.kernels import intrinsics

jit_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled with NUMBA_DISABLE_JIT")


@jit_only
def test_near_mask_is_its_twin():
    near_mask, near_mask_wide = intrinsics.near_mask, intrinsics.near_mask_wide

    @numba.njit
    def masks(low, high, x, y, k):
        return near_mask(low, x, k), near_mask_wide(low, high, x, y, k)

    rng = np.random.default_rng(0)
    for k in [0, 1, 3, 31, 32, 63, 64, 128]:
        low = rng.integers(0, 1 << 64, 9, np.uint64, endpoint=False)
        high = rng.integers(0, 1 << 64, 9, np.uint64, endpoint=False)
        low[3], high[3] = low[4] ^ np.uint64(0b111), high[4]
        low[5], low[6] = 0, 2**64 - 1
        for x, y in [(low[4], high[4]), (low[0], high[1]), (np.uint64(0), np.uint64(2**64 - 1))]:
            for lane in (0, 1):  # any alignment
                at = low.ctypes.data + 8 * lane, high.ctypes.data + 8 * lane
                expected = intrinsics._near_mask(at[0], x, k), intrinsics._near_mask_wide(*at, x, y, k)
                assert masks(*at, x, y, k) == expected


RESULTS = """
def results():
    import numpy as np
    from txtfp_np.index import HammingIndex, hamming_scan
    from txtfp_np.sketch.seomoz import seomoz_simhash
    rng = np.random.default_rng(1)
    found = []
    for bits in (64, 128):
        shape = 120 if bits == 64 else (120, 2)
        values = rng.integers(0, 1 << 64, shape, np.uint64, endpoint=False)
        values[60:] = values[rng.integers(0, 60, 60)] ^ np.uint64(1 << 5)
        index = HammingIndex(values, 4, bits=bits)
        found += [part.tolist() for part in index.find_all()]
        found += [part.tolist() for part in index.query(values[:20] ^ np.uint64(3))]
        found += [part.tolist() for part in index.find_clusters()]
        found += [part.tolist() for part in hamming_scan(values, values[:5], 9, bits)]
    found.append(seomoz_simhash(["", "one", "a few more words than the window has"]).tolist())
    return found
"""


def test_results_without_the_jit():
    scope = {}
    exec(RESULTS, scope)
    # NumPy warns where unsigned scalars wrap around, which kernels mean to do.
    done = subprocess.run(
        [
            *(sys.executable, "-W", "error", "-W", "ignore:overflow encountered:RuntimeWarning", "-c"),
            f"import json\n{RESULTS}\nprint(json.dumps(results()))",
        ],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == scope["results"]()
