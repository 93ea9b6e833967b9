/** A multiple of the blocks of common disks, and of the alignment that a direct write wants of memory. */
export const alignmentBytes = 4096

/**
 * Allocates memory that begins on a page, so that it can be written directly. Engines reserve whole pages for a buffer
 * that may grow, and begin others wherever there is space. Where they do not, the system refuses a direct write, and the
 * bytes are written as usual.
 */
export function allocateAligned(sizeBytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(sizeBytes, { maxByteLength: sizeBytes }), 0, sizeBytes)
}

/** Whether bytes begin at an address that a direct write accepts, as far as can be known. */
export function isAligned({ buffer, byteOffset }: Uint8Array): boolean {
  return buffer instanceof ArrayBuffer && buffer.resizable && byteOffset % alignmentBytes === 0
}

/** Bytes of memory that {@link regionFor} needs besides those that are read: the rest of the first block and of the last one. */
export const regionSlackBytes = 2 * alignmentBytes

/**
 * Returns the region of memory of {@link allocateAligned} to read bytes at `position` of an object into: as far behind its beginning
 * as the position is behind a block, so that a store can read whole blocks into the memory, without a copy.
 */
export function regionFor(memory: ArrayBuffer, position: number, sizeBytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(memory, position % alignmentBytes, sizeBytes)
}

/** Returns the whole blocks around a region of {@link regionFor}; undefined for bytes in other memory. */
export function blocksAround(region: Uint8Array, position: number): Uint8Array<ArrayBuffer> | undefined {
  const { buffer, byteOffset, length } = region
  const lead = position % alignmentBytes
  const sizeBytes = Math.ceil((lead + length) / alignmentBytes) * alignmentBytes
  const isRegion = buffer instanceof ArrayBuffer && buffer.resizable && byteOffset === lead
  return isRegion && buffer.byteLength >= sizeBytes ? new Uint8Array(buffer, 0, sizeBytes) : undefined
}
