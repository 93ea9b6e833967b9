// Numbers of 64 bits are two halves of 32: BigInt takes twenty times as long. The high half of a result is in `high`.

const firstFactor = { high: 0x87c37b91 | 0, low: 0x114253d5 }
const secondFactor = { high: 0x4cf5ad43, low: 0x2745937f }
const blockBytes = 16

let high = 0

/** Returns the low half of a sum. */
function add(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  const low = (aLow >>> 0) + (bLow >>> 0)
  high = (aHigh + bHigh + (low > 0xffffffff ? 1 : 0)) | 0
  return low | 0
}

/** Returns the low half of a product, without its bits from 64 on. */
function multiply(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  const aTop = aLow >>> 16
  const aRest = aLow & 0xffff
  const bTop = bLow >>> 16
  const bRest = bLow & 0xffff
  const middle = (Math.imul(aTop, bRest) + (Math.imul(aRest, bRest) >>> 16)) >>> 0
  const other = (Math.imul(aRest, bTop) + (middle & 0xffff)) >>> 0
  high =
    (Math.imul(aTop, bTop) + (middle >>> 16) + (other >>> 16) + Math.imul(aHigh, bLow) + Math.imul(aLow, bHigh)) | 0
  return Math.imul(aLow, bLow)
}

/** Returns the low half of a number whose bits move left by less than 32 and come in again on the right. */
function rotate(valueHigh: number, valueLow: number, bits: number): number {
  high = (valueHigh << bits) | (valueLow >>> (32 - bits))
  return (valueLow << bits) | (valueHigh >>> (32 - bits))
}

/** Returns the low half of a block of the first lane, mixed. */
function mixFirst(valueHigh: number, valueLow: number): number {
  let low = multiply(valueHigh, valueLow, firstFactor.high, firstFactor.low)
  low = rotate(high, low, 31)
  return multiply(high, low, secondFactor.high, secondFactor.low)
}

/** Returns the low half of a block of the second lane, mixed: by 33 bits to the left, so the halves change places. */
function mixSecond(valueHigh: number, valueLow: number): number {
  let low = multiply(valueHigh, valueLow, secondFactor.high, secondFactor.low)
  low = rotate(low, high, 1)
  return multiply(high, low, firstFactor.high, firstFactor.low)
}

/** Returns the low half of a lane at the end. */
function finish(valueHigh: number, valueLow: number): number {
  let low = multiply(valueHigh, valueLow ^ (valueHigh >>> 1), 0xff51afd7 | 0, 0xed558ccd | 0)
  low = multiply(high, low ^ (high >>> 1), 0xc4ceb9fe | 0, 0x1a85ec53)
  return low ^ (high >>> 1)
}

/** Returns up to four bytes as a number, the first one lowest. */
function readWord(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
}

/**
 * Writes the 8 bytes that place a name in a HAMT to `target`: murmur3-x64-64 of its UTF-8, most significant byte first.
 * @see https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp
 */
export function writeNameHash(name: Uint8Array, target: Uint8Array, offset: number): void {
  let firstHigh = 0
  let first = 0
  let secondHigh = 0
  let second = 0
  let at = 0
  for (; at + blockBytes <= name.length; at += blockBytes) {
    let low = mixFirst(readWord(name, at + 4), readWord(name, at))
    first ^= low
    firstHigh ^= high
    first = rotate(firstHigh, first, 27)
    first = add(high, first, secondHigh, second)
    first = multiply(high, first, 0, 5)
    first = add(high, first, 0, 0x52dce729)
    firstHigh = high
    low = mixSecond(readWord(name, at + 12), readWord(name, at + 8))
    second ^= low
    secondHigh ^= high
    second = rotate(secondHigh, second, 31)
    second = add(high, second, firstHigh, first)
    second = multiply(high, second, 0, 5)
    second = add(high, second, 0, 0x38495ab5)
    secondHigh = high
  }
  if (name.length > at + 8) {
    second ^= mixSecond(readWord(name, at + 12), readWord(name, at + 8))
    secondHigh ^= high
  }
  if (name.length > at) {
    first ^= mixFirst(readWord(name, at + 4), readWord(name, at))
    firstHigh ^= high
  }
  first ^= name.length
  second ^= name.length
  first = add(firstHigh, first, secondHigh, second)
  firstHigh = high
  second = add(secondHigh, second, firstHigh, first)
  secondHigh = high
  first = finish(firstHigh, first)
  firstHigh = high
  second = finish(secondHigh, second)
  first = add(firstHigh, first, high, second)
  const view = new DataView(target.buffer, target.byteOffset + offset, 8)
  view.setInt32(0, high)
  view.setInt32(4, first)
}
