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

/**
 * Copies bytes to the beginning of shared memory. `set` copies to it byte by byte, ten times slower, unless source and
 * target lie alike to the words of memory; `fill` copies as it does elsewhere.
 */
export function copyToShared(source: Uint8Array, target: SharedBytes): void {
  // An empty source has nothing to fill with.
  if (source.length > 0) Buffer.from(target.buffer, target.byteOffset, source.length).fill(source)
}
