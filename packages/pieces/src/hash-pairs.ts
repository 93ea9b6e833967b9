/**
 * SHA-256 of each 64 bytes of `input`, one after the other, into `output`: with the processor's own instructions where
 * a library for this platform is installed, in WebAssembly where there is none.
 */
export const hashPairs: (input: Uint8Array, output: Uint8Array) => void = await import('@chainsafe/hashtree').then(
  (native) => native.hashInto,
  // The package has one library for each platform it knows, and throws on the others.
  async () => (await import('@chainsafe/as-sha256')).hashInto,
)
