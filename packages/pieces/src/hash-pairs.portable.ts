import { hashInto } from '@chainsafe/as-sha256'

/**
 * For browsers and bundles: a bundle takes no native library along, and runs on more than one platform.
 * SHA-256 of each 64 bytes of `input`, one after the other, into `output`: in WebAssembly, four at a time where the
 * machine can.
 */
export const hashPairs: (input: Uint8Array, output: Uint8Array) => void = hashInto
