import { Crc32c, Crc64Nvme } from '@aws-sdk/checksums/crc'
import { expect, test } from 'vitest'
import { type Crc, createCrc32c, createCrc64Nvme } from './crc.ts'

const kinds = [
  { name: 'CRC-32C', create: createCrc32c, createTheirs: () => new Crc32c(), check: 'e3069283' },
  { name: 'CRC-64/NVME', create: createCrc64Nvme, createTheirs: () => new Crc64Nvme(), check: 'ae8b14860a799888' },
]

const hexOf = (crc: Crc) => Buffer.from(crc.digest()).toString('hex')

test.each(kinds)('$name of the published check text', ({ create, check }) => {
  const crc = create()
  crc.update(Buffer.from('123456789'))
  expect(hexOf(crc)).toBe(check)
})

test.each(kinds)('$name matches the AWS SDK, whatever the lengths of the pieces and where they lie', async (kind) => {
  const bytes = Uint8Array.from({ length: 4096 }, (_, at) => (at * at * 31 + at) >>> 3)
  const ours = kind.create()
  const theirs = kind.createTheirs()
  for (let length = 0; length < 40; length++) {
    for (let start = 0; start < 9; start++) {
      const piece = bytes.subarray(start * 97 + length, start * 97 + 2 * length)
      ours.update(piece)
      theirs.update(piece)
      expect(hexOf(ours)).toBe(Buffer.from(await theirs.digest()).toString('hex'))
    }
  }
})
