import { KIB } from '@cairn/protocol'

/** A multiple of the blocks of common disks, and of the alignment that a direct write wants of memory. */
export const alignmentBytes = 4096

/** Bytes of memory that other threads read where it is. */
export type SharedBytes = Uint8Array<SharedArrayBuffer>

/**
 * Allocates memory that begins on a page, so that it can be written directly. Engines reserve whole pages for a buffer
 * that may grow, and begin others wherever there is space. Where they do not, the system refuses a direct write, and the
 * bytes are written as usual.
 */
export function allocateAligned(sizeBytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(sizeBytes, { maxByteLength: sizeBytes }), 0, sizeBytes)
}

/** Allocates such memory for several threads. Copy to it with {@link copyToShared}. */
export function allocateSharedAligned(sizeBytes: number): SharedBytes {
  return new Uint8Array(new SharedArrayBuffer(sizeBytes, { maxByteLength: sizeBytes }), 0, sizeBytes)
}

/** Whether bytes begin at an address that a direct write accepts, as far as can be known. */
export function isAligned({ buffer, byteOffset }: Uint8Array): boolean {
  const mayGrow = buffer instanceof SharedArrayBuffer ? buffer.growable : buffer.resizable
  return mayGrow && byteOffset % alignmentBytes === 0
}

const wordBytes = 8
const stepBytes = 64 * KIB
/** Source bytes, as far behind a word of memory as their target. */
const shifted = new Uint8Array(stepBytes + wordBytes)

/**
 * Copies bytes to the beginning of shared memory. Engines copy to it word by word, but byte by byte, ten times slower, if
 * source and target lie differently to the words of memory: such bytes are copied twice instead.
 */
export function copyToShared(source: Uint8Array, target: SharedBytes): void {
  if ((target.byteOffset - source.byteOffset) % wordBytes === 0) {
    target.set(source)
    return
  }
  for (let at = 0; at < source.length; at += stepBytes) {
    const piece = source.subarray(at, at + stepBytes)
    const lead = (target.byteOffset + at) % wordBytes
    shifted.set(piece, lead)
    target.set(shifted.subarray(lead, lead + piece.length), at)
  }
}
