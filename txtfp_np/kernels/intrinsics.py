"""Machine operations that Numba has no spelling for, each with a plain-Python twin.

``byte_mask``, ``copy64`` and ``read_hex64`` work on 64 bytes at once. They are written as generic LLVM vectors, so
one body serves AVX-512 (one instruction a comparison), AVX2, SSE2 and NEON alike.

With the JIT switched off (``NUMBA_DISABLE_JIT=1``) the twins are used: an ``@intrinsic`` has no
Python form of its own.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 64
NEAR_LANES = 8


# ── plain-Python twins ──────────────────────────────────────────────────────────────────────────
def _load_u32(data: Any, position: int) -> Any:
    return np.uint32(int.from_bytes(bytes(data[position : position + 4]), "little"))


def _load_u64(data: Any, position: int) -> Any:
    return np.uint64(int.from_bytes(bytes(data[position : position + 8]), "little"))


def _address(data: Any, position: int) -> int:
    return int(data.ctypes.data) + int(position) * int(data.itemsize)


def _peek_u8(address: int) -> Any:
    return np.uint64(ctypes.c_uint8.from_address(int(address)).value)


def _peek_u32(address: int) -> Any:
    return np.uint64(ctypes.c_uint32.from_address(int(address)).value)


def _peek_u64(address: int) -> Any:
    return np.uint64(ctypes.c_uint64.from_address(int(address)).value)


def _store_u32(data: Any, position: int, value: Any) -> None:
    data[position : position + 4] = np.frombuffer(int(value).to_bytes(4, "little"), np.uint8)


def _store_u64(data: Any, position: int, value: Any) -> None:
    data[position : position + 8] = np.frombuffer(int(value).to_bytes(8, "little"), np.uint8)


def _trailing_zeros(value: Any) -> int:
    number = int(value)
    return (number & -number).bit_length() - 1 if number else 64


def _leading_zeros(value: Any) -> int:
    return 64 - int(value).bit_length()


def _popcount(value: Any) -> int:
    return int(value).bit_count()


def _multiply_high(a: Any, b: Any) -> Any:
    return np.uint64((int(a) * int(b)) >> 64)


def _swap_bytes(value: Any) -> Any:
    return np.uint64(int.from_bytes(int(value).to_bytes(8, "little"), "big"))


def _byte_mask(data: Any, position: int, low: int, count: int) -> Any:
    chunk = data[position : position + LANES]
    inside = (chunk - np.uint8(low)) < np.uint8(count)
    return np.uint64(int.from_bytes(np.packbits(inside, bitorder="little").tobytes(), "little"))


def _copy64(source: Any, position: int, out: Any, out_position: int, case_bit: int) -> Any:
    chunk = source[position : position + LANES].copy()
    upper = (chunk - np.uint8(65)) < np.uint8(26)
    out[out_position : out_position + LANES] = chunk | (upper * np.uint8(case_bit))
    return _byte_mask(source, position, 128, 128)


def _read_hex64(data: Any, position: int, out: Any, out_position: int) -> bool:
    chunk = data[position : position + LANES]
    letters = ((chunk | np.uint8(32)) - np.uint8(97)) < np.uint8(6)
    digits = (chunk & np.uint8(15)) + letters * np.uint8(9)
    out[out_position : out_position + LANES // 2] = digits[::2] << np.uint8(4) | digits[1::2]
    return bool((letters | ((chunk - np.uint8(48)) < np.uint8(10))).all())


def _near_mask(address: int, value: Any, k: int) -> int:
    words = [int(_peek_u64(address + 8 * lane)) for lane in range(NEAR_LANES)]
    return sum(1 << lane for lane, word in enumerate(words) if (word ^ int(value)).bit_count() <= k)


def _near_mask_wide(low: int, high: int, x: Any, y: Any, k: int) -> int:
    lanes = range(0, 8 * NEAR_LANES, 8)
    words = [(int(_peek_u64(low + lane)), int(_peek_u64(high + lane))) for lane in lanes]
    distances = [(a ^ int(x)).bit_count() + (b ^ int(y)).bit_count() for a, b in words]
    return sum(1 << lane for lane, distance in enumerate(distances) if distance <= k)


# ── LLVM forms ──────────────────────────────────────────────────────────────────────────────────
_BYTE = ir.IntType(8)
_VECTOR = ir.VectorType(_BYTE, LANES)


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, position: Any) -> Any:
    """Address of ``array[position]``: no bounds check, no wrap-around of negative indexes."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.gep(data, [position])


def _typed(builder: Any, pointer: Any, llvm_type: Any) -> Any:
    return builder.bitcast(pointer, llvm_type.as_pointer())


def _loader(bits: int) -> Any:
    result = types.uint32 if bits == 32 else types.uint64

    def load(typingctx: Any, data: Any, position: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
            value = builder.load(_typed(builder, pointer, ir.IntType(bits)))
            value.align = 1
            return value

        return result(data, types.intp), codegen

    return intrinsic(load)


def _address_typing(typingctx: Any, data: Any, position: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.ptrtoint(pointer, ir.IntType(64))

    return types.int64(data, types.intp), codegen


def _peeker(bits: int) -> Any:
    def peek(typingctx: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = builder.load(builder.inttoptr(args[0], ir.IntType(bits).as_pointer()))
            value.align = 1
            return builder.zext(value, ir.IntType(64)) if bits < 64 else value

        return types.uint64(types.int64), codegen

    return intrinsic(peek)


def _storer(bits: int) -> Any:
    value_type = types.uint32 if bits == 32 else types.uint64

    def store(typingctx: Any, data: Any, position: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
            instruction = builder.store(args[2], _typed(builder, pointer, ir.IntType(bits)))
            instruction.align = 1
            return context.get_dummy_value()

        return types.void(data, types.intp, value_type), codegen

    return intrinsic(store)


def _counter(name: str) -> Any:
    def count(typingctx: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(word, [word, ir.IntType(1)]), f"llvm.{name}.i64"
            )
            # is_zero_poison = false: a zero word counts 64
            return builder.call(function, [args[0], ir.Constant(ir.IntType(1), 0)])

        return types.int64(types.uint64), codegen

    return intrinsic(count)


def _popcount_typing(typingctx: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


def _multiply_high_typing(typingctx: Any, a: Any, b: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide, word = ir.IntType(128), ir.IntType(64)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), word)

    return types.uint64(types.uint64, types.uint64), codegen


def _swap_bytes_typing(typingctx: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bswap(args[0])

    return types.uint64(types.uint64), codegen


def _load_vector(builder: Any, pointer: Any) -> Any:
    vector = builder.load(_typed(builder, pointer, _VECTOR))
    vector.align = 1
    return vector


def _splat(builder: Any, byte: Any) -> Any:
    lane = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), byte, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(lane, ir.Constant(_VECTOR, ir.Undefined), zeros)


def _in_range(builder: Any, vector: Any, low: Any, count: Any) -> Any:
    shifted = builder.sub(vector, _splat(builder, low))
    return builder.icmp_unsigned("<", shifted, _splat(builder, count))


def _byte_mask_typing(typingctx: Any, data: Any, position: Any, low: Any, count: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, position, low, count = args
        vector = _load_vector(builder, _pointer(context, builder, signature.args[0], array, position))
        return builder.bitcast(_in_range(builder, vector, low, count), ir.IntType(64))

    return types.uint64(data, types.intp, types.uint8, types.uint8), codegen


def _copy64_typing(typingctx: Any, source: Any, position: Any, out: Any, out_position: Any, case_bit: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, position, out, out_position, case_bit = args
        vector = _load_vector(builder, _pointer(context, builder, signature.args[0], source, position))
        upper = _in_range(builder, vector, ir.Constant(_BYTE, 65), ir.Constant(_BYTE, 26))
        zero = ir.Constant(_VECTOR, [0] * LANES)
        lowered = builder.or_(vector, builder.select(upper, _splat(builder, case_bit), zero))
        target = _pointer(context, builder, signature.args[2], out, out_position)
        builder.store(lowered, _typed(builder, target, _VECTOR)).align = 1
        negative = builder.icmp_signed("<", vector, zero)
        return builder.bitcast(negative, ir.IntType(64))

    return types.uint64(source, types.intp, out, types.intp, types.uint8), codegen


def _read_hex64_typing(typingctx: Any, data: Any, position: Any, out: Any, out_position: Any) -> Any:
    def constant(byte: int) -> Any:
        return ir.Constant(_VECTOR, [byte] * LANES)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data, position, out, out_position = args
        vector = _load_vector(builder, _pointer(context, builder, signature.args[0], data, position))
        numbers = _in_range(builder, vector, ir.Constant(_BYTE, 48), ir.Constant(_BYTE, 10))
        lower = builder.or_(vector, constant(32))
        letters = _in_range(builder, lower, ir.Constant(_BYTE, 97), ir.Constant(_BYTE, 6))
        digits = builder.add(builder.and_(vector, constant(15)), builder.select(letters, constant(9), constant(0)))
        high, low = (
            builder.shuffle_vector(
                digits,
                ir.Constant(_VECTOR, ir.Undefined),
                ir.Constant(ir.VectorType(ir.IntType(32), LANES // 2), list(range(first, LANES, 2))),
            )
            for first in (0, 1)
        )
        half = ir.VectorType(_BYTE, LANES // 2)
        packed = builder.or_(builder.shl(high, ir.Constant(half, [4] * (LANES // 2))), low)
        target = _pointer(context, builder, signature.args[2], out, out_position)
        builder.store(packed, _typed(builder, target, half)).align = 1
        good = builder.bitcast(builder.or_(numbers, letters), ir.IntType(64))
        return builder.icmp_unsigned("==", good, ir.Constant(ir.IntType(64), -1))

    return types.boolean(data, types.intp, out, types.intp), codegen


_WORDS = ir.VectorType(ir.IntType(64), NEAR_LANES)


def _splat_word(builder: Any, word: Any) -> Any:
    lane = builder.insert_element(ir.Constant(_WORDS, ir.Undefined), word, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), NEAR_LANES), [0] * NEAR_LANES)
    return builder.shuffle_vector(lane, ir.Constant(_WORDS, ir.Undefined), zeros)


def _lane_distances(builder: Any, address: Any, word: Any) -> Any:
    vector = builder.load(builder.inttoptr(address, _WORDS.as_pointer()))
    vector.align = 1
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_WORDS, [_WORDS]), f"llvm.ctpop.v{NEAR_LANES}i64"
    )
    return builder.call(function, [builder.xor(vector, _splat_word(builder, word))])


def _lanes_within(builder: Any, distances: Any, k: Any) -> Any:
    within = builder.icmp_unsigned("<=", distances, _splat_word(builder, k))
    return builder.zext(builder.bitcast(within, ir.IntType(NEAR_LANES)), ir.IntType(64))


def _near_mask_typing(typingctx: Any, address: Any, value: Any, k: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _lanes_within(builder, _lane_distances(builder, args[0], args[1]), args[2])

    return types.int64(types.int64, types.uint64, types.int64), codegen


def _near_mask_wide_typing(typingctx: Any, low: Any, high: Any, x: Any, y: Any, k: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        in_low, in_high = _lane_distances(builder, args[0], args[2]), _lane_distances(builder, args[1], args[3])
        return _lanes_within(builder, builder.add(in_low, in_high), args[4])

    return types.int64(types.int64, types.int64, types.uint64, types.uint64, types.int64), codegen


# ── what kernels import ─────────────────────────────────────────────────────────────────────────
if numba.config.DISABLE_JIT:
    load_u32, load_u64 = _load_u32, _load_u64
    address, peek_u8, peek_u32, peek_u64 = _address, _peek_u8, _peek_u32, _peek_u64
    store_u32, store_u64 = _store_u32, _store_u64
    trailing_zeros, leading_zeros = _trailing_zeros, _leading_zeros
    popcount = _popcount
    multiply_high, swap_bytes = _multiply_high, _swap_bytes
    byte_mask, copy64, read_hex64 = _byte_mask, _copy64, _read_hex64
    near_mask, near_mask_wide = _near_mask, _near_mask_wide
else:
    # load_uN(data, position): little-endian word at any alignment
    load_u32, load_u64 = _loader(32), _loader(64)
    # address(data, position): where an element lies, as an int64. Helpers that take addresses escape
    # Numba's reference counting, which costs more than a short hash; the kernel holds the array.
    address = intrinsic(_address_typing)
    # peek_uN(address): little-endian word at any address, as a uint64
    peek_u8, peek_u32, peek_u64 = _peeker(8), _peeker(32), _peeker(64)
    # store_uN(data, position, value)
    store_u32, store_u64 = _storer(32), _storer(64)
    # trailing_zeros(u64), leading_zeros(u64): 64 for zero
    trailing_zeros, leading_zeros = _counter("cttz"), _counter("ctlz")
    # popcount(u64): number of set bits
    popcount = intrinsic(_popcount_typing)
    # multiply_high(u64, u64): upper half of the 128-bit product
    multiply_high = intrinsic(_multiply_high_typing)
    # swap_bytes(u64)
    swap_bytes = intrinsic(_swap_bytes_typing)
    # byte_mask(data, position, low, count): bit i set when low <= data[position + i] < low + count
    byte_mask = intrinsic(_byte_mask_typing)
    # copy64(source, position, out, out_position, case_bit): copies 64 bytes, sets case_bit in A-Z,
    # returns the mask of bytes >= 0x80
    copy64 = intrinsic(_copy64_typing)
    # read_hex64(data, position, out, out_position): writes the 32 bytes that 64 hexadecimal digits spell, returns
    # whether they all are such digits
    read_hex64 = intrinsic(_read_hex64_typing)
    # near_mask(address, word, k): bit i set when the i-th of eight words there differs in at most k bits;
    # near_mask_wide(low, high, x, y, k): likewise for fingerprints of two words
    near_mask, near_mask_wide = intrinsic(_near_mask_typing), intrinsic(_near_mask_wide_typing)
