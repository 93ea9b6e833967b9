import { quadPaddedBytes, quadPayloadBytes } from './piece.ts'

const last30Bits = 0x3fff_ffff

/**
 * Applies Fr32 padding: two zero bits after every 254 bits of payload, so that every 32 bytes are an element of the
 * field. `payload` has a whole number of 127-byte groups, and `padded` fits 128 bytes for each.
 * @see https://spec.filecoin.io/systems/filecoin_files/piece/#section-systems.filecoin_files.piece.fr32
 */
export function padFr32(payload: Uint8Array, padded: Uint8Array): void {
  const input = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
  const output = new DataView(padded.buffer, padded.byteOffset, padded.byteLength)
  const groups = payload.length / quadPayloadBytes
  for (let group = 0; group < groups; group++) {
    const from = group * quadPayloadBytes
    const to = group * quadPaddedBytes
    for (let word = 0; word < 7; word++) {
      const at = from + word * 4
      const out = to + word * 4
      output.setUint32(out, input.getUint32(at, true), true)
      output.setUint32(out + 32, (input.getUint32(at + 28, true) >>> 30) | (input.getUint32(at + 32, true) << 2), true)
      output.setUint32(out + 64, (input.getUint32(at + 60, true) >>> 28) | (input.getUint32(at + 64, true) << 4), true)
      output.setUint32(out + 96, (input.getUint32(at + 92, true) >>> 26) | (input.getUint32(at + 96, true) << 6), true)
    }
    output.setUint32(to + 28, input.getUint32(from + 28, true) & last30Bits, true)
    const second = (input.getUint32(from + 56, true) >>> 30) | (input.getUint32(from + 60, true) << 2)
    output.setUint32(to + 60, second & last30Bits, true)
    const third = (input.getUint32(from + 88, true) >>> 28) | (input.getUint32(from + 92, true) << 4)
    output.setUint32(to + 92, third & last30Bits, true)
    // The last word of a group has three bytes: a fourth would belong to the next group.
    const end = input.getUint8(from + 124) | (input.getUint8(from + 125) << 8) | (input.getUint8(from + 126) << 16)
    output.setUint32(to + 124, ((input.getUint32(from + 120, true) >>> 26) | (end << 6)) & last30Bits, true)
  }
}

/** Restores the payload: the reverse of {@link padFr32}. `padded` has a whole number of 128-byte groups. */
export function unpadFr32(padded: Uint8Array): Uint8Array {
  const groups = padded.length / quadPaddedBytes
  const payload = new Uint8Array(groups * quadPayloadBytes)
  for (let group = 0; group < groups; group++) {
    const from = group * quadPaddedBytes
    const to = group * quadPayloadBytes
    for (let at = 0; at < quadPayloadBytes; at++) {
      // Byte `at` of the payload is 8 bits from bit 8 * at; two bits are skipped after each 254.
      const bit = at * 8
      const shifted = bit + 2 * Math.floor(bit / 254)
      payload[to + at] = readBits(padded, from, shifted, Math.min(8, 254 - (bit % 254)))
    }
  }
  return payload
}

/** Eight bits, `count` of them before a gap of two. */
function readBits(padded: Uint8Array, from: number, bit: number, count: number): number {
  const low = readByte(padded, from, bit) & ((1 << count) - 1)
  return count === 8 ? low : (low | (readByte(padded, from, bit + count + 2) << count)) & 0xff
}

function readByte(padded: Uint8Array, from: number, bit: number): number {
  const at = from + Math.floor(bit / 8)
  const shift = bit % 8
  return (((padded[at] ?? 0) >>> shift) | ((padded[at + 1] ?? 0) << (8 - shift))) & 0xff
}
