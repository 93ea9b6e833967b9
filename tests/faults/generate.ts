/** Pieces of up to 64 KiB of bytes that differ by piece and seed, in one reused buffer. */
export function* generate(sizeBytes: number, seed: number): Generator<Uint8Array> {
  const piece = new Uint8Array(65_536)
  const view = new DataView(piece.buffer)
  for (let at = 0; at < sizeBytes; at += piece.length) {
    view.setFloat64(0, seed)
    view.setFloat64(8, at)
    yield piece.subarray(0, Math.min(piece.length, sizeBytes - at))
  }
}
