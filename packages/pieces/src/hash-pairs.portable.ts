import { hashInto } from '@chainsafe/as-sha256'

/**
 * Computes SHA-256 of each 64 bytes of `input` into `output`, in WebAssembly, four at a time if the machine supports
 * it. For browsers and bundles: a bundle contains no native library, and runs on more than one platform.
 */
export const hashPairs: (input: Uint8Array, output: Uint8Array) => void = hashInto
