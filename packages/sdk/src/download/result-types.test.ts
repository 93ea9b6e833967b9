import { expectTypeOf, test } from 'vitest'
import { decryptBytes } from '../decryption/decrypt-file.ts'
import { downloadBytes } from './open-file.ts'

test('downloaded bytes have a type that Blob, Response and Web Crypto accept', () => {
  // The type check fails otherwise.
  for (const read of [downloadBytes, decryptBytes])
    expectTypeOf(read).returns.resolves.toExtend<BlobPart & BodyInit & BufferSource>()
})
