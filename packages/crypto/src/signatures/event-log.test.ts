import { expect, test } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import { eventLogSigner, verifyEventLog, writeEventLog } from './event-log.ts'

const seed = new Uint8Array(32).fill(3)
const head = { network: 'local', address: '0xabc', createdAt: '2026-01-31T12:00:00.000Z' }
const event = (cursor: number) =>
  JSON.stringify({
    id: `0198c0de-0000-7000-8000-${String(cursor).padStart(12, '0')}`,
    cursor: String(cursor),
    type: 'upload.deleted',
    timestamp: '2026-01-31T12:00:00.000Z',
    data: { uploadId: 'u', cid: 'c', name: 'n', sizeBytes: cursor },
  })

function write(cursors: number[], last = cursors.at(-1) ?? 0): string[] {
  const log = writeEventLog(head, seed)
  const events = cursors.map(event)
  for (const one of events) log.addEvent(one)
  return [log.head, ...events, log.seal(String(last))]
}

async function* each(lines: readonly string[]) {
  yield* lines
}

const refusalOf = (lines: readonly string[]) => codeOf(verifyEventLog(each(lines)))

test('a log states its account, its signer and its events', async () => {
  const signer = eventLogSigner(seed)
  const found = await verifyEventLog(each(write([4, 5, 6])))
  expect(found).toEqual({ ...head, signer, count: 3, firstCursor: '4', lastCursor: '6' })
  expect(await verifyEventLog(each(write([], 7)))).toMatchObject({ count: 0, firstCursor: undefined, lastCursor: '7' })
})

test('rejects any change to a line, the order, the length or a signature', async () => {
  const lines = write([1, 2, 3, 4])
  expect(await verifyEventLog(each(lines))).toMatchObject({ count: 4 })
  for (let at = 0; at < lines.length; at++) {
    expect(await refusalOf(lines.toSpliced(at, 1))).toMatch(/^(DATA_DAMAGED|INVALID_SIGNATURE)$/)
    const changed = (lines[at] ?? '').replace(
      /local|"sizeBytes":|"count":/,
      (text) => `${text}${text === 'local' ? 'e' : '9'}`,
    )
    expect(await refusalOf(lines.with(at, changed))).toBe('DATA_DAMAGED')
  }
  const [first = '', one = '', two = '', ...rest] = lines
  expect(await refusalOf([first, two, one, ...rest])).toBe('DATA_DAMAGED')
  expect(await refusalOf(write([1, 3]))).toBe('DATA_DAMAGED')
  expect(await refusalOf(write([1, 2], 3))).toBe('DATA_DAMAGED')
  const foreign = writeEventLog(head, new Uint8Array(32).fill(4))
  expect(await refusalOf([write([])[0] ?? '', foreign.seal('0')])).toMatch(/^(DATA_DAMAGED|INVALID_SIGNATURE)$/)
  const resigned = { ...JSON.parse(lines.at(-1) ?? ''), signature: 'AAAA' }
  expect(await refusalOf(lines.with(-1, JSON.stringify(resigned)))).toBe('INVALID_SIGNATURE')
})
