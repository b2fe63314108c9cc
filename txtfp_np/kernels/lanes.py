"""The two inner loops of sketching, written out in vectors: slot minima and bit counts.

LLVM does not find these forms by itself: 128 running minima that never leave the registers, and 64
counters of one byte that one comparison mask feeds. Generic vectors again, so that every CPU gets
its best form; each has a plain-Python twin for runs without the JIT.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

_WORD = ir.IntType(64)
_WIDTH = 8  # words a vector
_VECTOR = ir.VectorType(_WORD, _WIDTH)
_SIGN = 1 << 63
_MASK = (1 << 64) - 1
_BITS = 64
_FLUSH = 255  # additions that a byte can take


# ── plain-Python twins ──────────────────────────────────────────────────────────────────────────
def _words(address: int, n: int) -> Any:
    return (ctypes.c_uint64 * n).from_address(int(address))


def _twin_minima(n_vectors: int) -> Any:
    def minima(low: int, high: int, n: int, first_slot: int, out: int) -> None:
        slots = _words(out, _WIDTH * n_vectors)
        for lo, hi in zip(_words(low, n), _words(high, n), strict=True):
            for j in range(len(slots)):
                slots[j] = min(slots[j], (lo + (int(first_slot) + j) * hi) & _MASK)

    return minima


def _twin_count_bits(hashes: int, n: int, counts: int) -> None:
    ones = _words(counts, _BITS)
    for value in _words(hashes, n):
        for bit in range(_BITS):
            ones[bit] += value >> bit & 1


# ── LLVM forms ──────────────────────────────────────────────────────────────────────────────────
def _splat(builder: Any, value: Any, vector: Any) -> Any:
    undefined = ir.Constant(vector, ir.Undefined)
    lane = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(lane, undefined, ir.Constant(ir.VectorType(ir.IntType(32), vector.count), None))


def _at(builder: Any, address: Any, offset: Any, llvm_type: Any) -> Any:
    return builder.inttoptr(builder.add(address, offset), llvm_type.as_pointer())


def _load(builder: Any, address: Any, offset: Any, llvm_type: Any) -> Any:
    value = builder.load(_at(builder, address, offset, llvm_type))
    value.align = 1
    return value


def _store(builder: Any, value: Any, address: Any, offset: Any) -> None:
    builder.store(value, _at(builder, address, offset, value.type)).align = 1


def _minima(n_vectors: int) -> Any:
    """``min`` into ``8 * n_vectors`` slots at ``out``, slot ``i`` being ``low + (first_slot + i) * high``.

    Biased by 2**63 the unsigned minimum is a signed one, which AVX2 can compare.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        low, high, n, first_slot, out = args
        sign = ir.Constant(_VECTOR, [_SIGN] * _WIDTH)
        steps = ir.Constant(_VECTOR, list(range(_WIDTH)))
        before = builder.block
        kept = [builder.xor(_load(builder, out, ir.Constant(_WORD, 64 * j), _VECTOR), sign) for j in range(n_vectors)]
        loop, done = builder.append_basic_block("shingle"), builder.append_basic_block("done")
        builder.cbranch(builder.icmp_signed(">", n, ir.Constant(_WORD, 0)), loop, done)
        builder.position_at_end(loop)
        index = builder.phi(_WORD)
        index.add_incoming(ir.Constant(_WORD, 0), before)
        running = [builder.phi(_VECTOR) for _ in range(n_vectors)]
        offset = builder.shl(index, ir.Constant(_WORD, 3))
        lo = _load(builder, low, offset, _WORD)
        hi = _load(builder, high, offset, _WORD)
        start = builder.add(builder.xor(lo, ir.Constant(_WORD, _SIGN)), builder.mul(first_slot, hi))
        value = builder.add(_splat(builder, start, _VECTOR), builder.mul(_splat(builder, hi, _VECTOR), steps))
        stride = _splat(builder, builder.shl(hi, ir.Constant(_WORD, 3)), _VECTOR)
        updated = []
        for j in range(n_vectors):
            updated.append(builder.select(builder.icmp_signed("<", value, running[j]), value, running[j]))
            value = builder.add(value, stride)
        following = builder.add(index, ir.Constant(_WORD, 1))
        index.add_incoming(following, loop)
        for phi, old, new in zip(running, kept, updated, strict=True):
            phi.add_incoming(old, before)
            phi.add_incoming(new, loop)
        builder.cbranch(builder.icmp_signed("<", following, n), loop, done)
        builder.position_at_end(done)
        for j in range(n_vectors):
            result = builder.phi(_VECTOR)
            result.add_incoming(kept[j], before)
            result.add_incoming(updated[j], loop)
            kept[j] = result
        for j in range(n_vectors):
            _store(builder, builder.xor(kept[j], sign), out, ir.Constant(_WORD, 64 * j))
        return context.get_dummy_value()

    def minima(typingctx: Any, low: Any, high: Any, n: Any, first_slot: Any, out: Any) -> Any:
        word = types.int64
        return types.void(word, word, word, word, word), generate

    return intrinsic(minima)


def _count_bits_typing(typingctx: Any, hashes: Any, n: Any, counts: Any) -> Any:
    """Add to 64 counters (uint64 at ``counts``) how many of ``n`` hashes have each bit set."""
    byte = ir.IntType(8)
    bytes_vector = ir.VectorType(byte, _BITS)
    wide = ir.VectorType(_WORD, _BITS)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        hashes, n, counts = args
        position = cgutils.alloca_once_value(builder, ir.Constant(_WORD, 0))
        tally = cgutils.alloca_once(builder, bytes_vector)
        with _chunks(builder, position, n):
            begin = builder.load(position)
            end = builder.add(begin, ir.Constant(_WORD, _FLUSH))
            end = builder.select(builder.icmp_signed("<", end, n), end, n)
            builder.store(ir.Constant(bytes_vector, None), tally)
            with cgutils.for_range_slice(builder, begin, end, ir.Constant(_WORD, 1), intp=_WORD) as (index, _):
                value = _load(builder, hashes, builder.shl(index, ir.Constant(_WORD, 3)), _WORD)
                bits = builder.zext(builder.bitcast(value, ir.VectorType(ir.IntType(1), _BITS)), bytes_vector)
                builder.store(builder.add(builder.load(tally), bits), tally)
            zero = ir.Constant(_WORD, 0)
            total = builder.add(_load(builder, counts, zero, wide), builder.zext(builder.load(tally), wide))
            _store(builder, total, counts, zero)
            builder.store(end, position)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@contextmanager
def _chunks(builder: Any, position: Any, n: Any) -> Iterator[None]:
    """``while load(position) < n`` around a block of IR."""
    test = builder.append_basic_block("chunk.test")
    body, done = builder.append_basic_block("chunk"), builder.append_basic_block("chunk.done")
    builder.branch(test)
    builder.position_at_end(test)
    builder.cbranch(builder.icmp_signed("<", builder.load(position), n), body, done)
    builder.position_at_end(body)
    yield
    builder.branch(test)
    builder.position_at_end(done)


# ── what kernels import ─────────────────────────────────────────────────────────────────────────
# minima_N(low, high, n, first_slot, out): addresses of n low and n high words, number of the first
# slot, address of N slots that are lowered in place. count_bits(hashes, n, counts): see above.
if numba.config.DISABLE_JIT:
    minima_128, minima_32, minima_8 = _twin_minima(16), _twin_minima(4), _twin_minima(1)
    count_bits = _twin_count_bits
else:
    minima_128, minima_32, minima_8 = _minima(16), _minima(4), _minima(1)
    count_bits = intrinsic(_count_bits_typing)
