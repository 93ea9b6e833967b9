// biome-ignore lint/style/noRestrictedImports: it loads a library; no I/O follows, and browsers and bundles get the other file.
import { createRequire } from 'node:module'

type HashPairs = (input: Uint8Array, output: Uint8Array) => void

let chosen: HashPairs | undefined

/**
 * Computes SHA-256 of each 64 bytes of `input` into `output`: with processor instructions if a library for this
 * platform is installed, else in WebAssembly.
 */
export const hashPairs: HashPairs = (input, output) => {
  chosen ??= load()
  chosen(input, output)
}

/** Loads on the first call and without `await`, so that CommonJS programs can `require` the package. */
function load(): HashPairs {
  const require = createRequire(import.meta.url)
  try {
    const native: typeof import('@chainsafe/hashtree') = require('@chainsafe/hashtree')
    return native.hashInto
  } catch {
    // The package has one library per supported platform, and throws on the others.
    const portable: typeof import('@chainsafe/as-sha256') = require('@chainsafe/as-sha256')
    return portable.hashInto
  }
}
