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
