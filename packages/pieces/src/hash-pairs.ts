// biome-ignore lint/style/noRestrictedImports: it loads a library; no I/O follows, and browsers and bundles get the other file.
import { createRequire } from 'node:module'

type HashPairs = (input: Uint8Array, output: Uint8Array) => void

let chosen: HashPairs | undefined

/**
 * SHA-256 of each 64 bytes of `input`, one after the other, into `output`: with the processor's own instructions where
 * a library for this platform is installed, in WebAssembly where there is none.
 */
export const hashPairs: HashPairs = (input, output) => {
  chosen ??= load()
  chosen(input, output)
}

/** Loads at the first call and without `await`, so that CommonJS programs can `require` the package. */
function load(): HashPairs {
  const require = createRequire(import.meta.url)
  try {
    const native: typeof import('@chainsafe/hashtree') = require('@chainsafe/hashtree')
    return native.hashInto
  } catch {
    // The package has one library for each platform it knows, and throws on the others.
    const portable: typeof import('@chainsafe/as-sha256') = require('@chainsafe/as-sha256')
    return portable.hashInto
  }
}
