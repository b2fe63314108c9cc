"""Fetching memory ahead of its use, and counting equal words: two more things that need LLVM's own form.

A probe of an index touches a few cache lines at random places. The processor overlaps such misses
only if it is told of them early: that is ``prefetch``. ``equal_words`` is the comparison of two
signatures that lie anywhere, one vector of eight words at a time.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .lanes import _VECTOR, _WORD, _load, _splat


# ── plain-Python twins ──────────────────────────────────────────────────────────────────────────
def _twin_prefetch(address: int) -> None:
    pass


def _twin_equal_words(a: int, b: int, n_vectors: int) -> int:
    n = 8 * int(n_vectors)
    mine, other = (ctypes.c_uint64 * n).from_address(int(a)), (ctypes.c_uint64 * n).from_address(int(b))
    return sum(x == y for x, y in zip(mine, other, strict=True))


def _twin_compare_8(at: int, half: Any) -> Any:
    halves = [word >> 32 for word in (ctypes.c_uint64 * 8).from_address(int(at))]
    below = sum((one < int(half)) << i for i, one in enumerate(halves))
    equal = sum((one == int(half)) << i for i, one in enumerate(halves))
    return np.uint64(below | equal << 8)


# ── LLVM forms ──────────────────────────────────────────────────────────────────────────────────
def _prefetch_typing(typingctx: Any, address: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [pointer, number, number, number]),
            "llvm.prefetch.p0" if ir.types.PointerType(ir.IntType(8)).is_opaque else "llvm.prefetch.p0i8",
        )
        # for reading, to be kept in all cache levels, data
        flags = [ir.Constant(number, value) for value in (0, 3, 1)]
        builder.call(function, [builder.inttoptr(args[0], pointer), *flags])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


def _equal_words_typing(typingctx: Any, a: Any, b: Any, n_vectors: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, n_vectors = args
        tally = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, None))
        with cgutils.for_range(builder, n_vectors, intp=_WORD) as loop:
            offset = builder.shl(loop.index, ir.Constant(_WORD, 6))
            equal = builder.icmp_unsigned("==", _load(builder, a, offset, _VECTOR), _load(builder, b, offset, _VECTOR))
            builder.store(builder.add(builder.load(tally), builder.zext(equal, _VECTOR)), tally)
        total = builder.load(tally)
        for half in (4, 2, 1):  # fold the upper half onto the lower
            mask = ir.Constant(ir.VectorType(ir.IntType(32), 8), [(i + half) % 8 for i in range(8)])
            total = builder.add(total, builder.shuffle_vector(total, total, mask))
        return builder.extract_element(total, ir.Constant(ir.IntType(32), 0))

    return types.int64(types.int64, types.int64, types.int64), codegen


def _compare_8_typing(typingctx: Any, at: Any, half: Any) -> Any:
    mask = ir.IntType(8)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = _load(builder, args[0], ir.Constant(_WORD, 0), _VECTOR)
        halves = builder.lshr(words, ir.Constant(_VECTOR, [32] * 8))
        half = _splat(builder, args[1], _VECTOR)
        below = builder.zext(builder.bitcast(builder.icmp_unsigned("<", halves, half), mask), _WORD)
        equal = builder.zext(builder.bitcast(builder.icmp_unsigned("==", halves, half), mask), _WORD)
        return builder.or_(below, builder.shl(equal, ir.Constant(_WORD, 8)))

    return types.uint64(types.int64, types.uint64), codegen


# ── what kernels import ─────────────────────────────────────────────────────────────────────────
# prefetch(address): start fetching the cache line; any address is allowed.
# equal_words(a, b, n_vectors): how many of 8 * n_vectors words at two addresses are equal.
# compare_8(address, half): 8 bits that say which of 8 words have an upper half below it, then 8 for equal ones.
if numba.config.DISABLE_JIT:
    prefetch, equal_words, compare_8 = _twin_prefetch, _twin_equal_words, _twin_compare_8
else:
    prefetch, equal_words = intrinsic(_prefetch_typing), intrinsic(_equal_words_typing)
    compare_8 = intrinsic(_compare_8_typing)
