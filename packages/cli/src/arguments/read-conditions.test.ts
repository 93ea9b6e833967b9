import { Readable } from 'node:stream'
import { CairnError } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { readConditionsFile } from './read-conditions.ts'

const conditions = [{ id: 1, chain: 'Zürich' }]

test('reads conditions from standard input completely, wherever their bytes are split', async () => {
  const bytes = Buffer.from(JSON.stringify(conditions))
  const cut = bytes.indexOf(0xc3) + 1
  const read = await readConditionsFile('-', Readable.from([bytes.subarray(0, cut), bytes.subarray(cut)]))
  expect(read).toEqual({ conditions })
})

test('reports why standard input cannot be read', async () => {
  await expect(readConditionsFile('-', Readable.from([Buffer.alloc(65_537, ' ')]))).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: 'Standard input is too long for a set of conditions',
  })
  const folder = new Readable({
    read() {
      this.destroy(new CairnError('FILE_UNREADABLE', { message: 'Standard input is a folder' }))
    },
  })
  await expect(readConditionsFile('-', folder)).rejects.toMatchObject({ message: 'Standard input is a folder' })
  const broken = new Readable({
    read() {
      this.destroy(new Error('EIO'))
    },
  })
  await expect(readConditionsFile('-', broken)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: 'Cannot read standard input',
  })
})
