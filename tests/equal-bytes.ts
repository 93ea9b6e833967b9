// Compares bytes as bytes, because Vitest's own comparison visits each as an entry, which takes seconds for a few megabytes.
import { expect } from 'vitest'

expect.addEqualityTesters([
  (a: unknown, b: unknown) =>
    a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) === 0 : undefined,
])
