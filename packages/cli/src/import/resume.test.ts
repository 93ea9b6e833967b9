import { createHash } from 'node:crypto'
import { appendFile, mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openJournal } from './journal.ts'
import { openStagedDag } from './staged-dag.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-resume-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function blockOf(text: string): { cid: CID; bytes: Uint8Array } {
  const bytes = Buffer.from(text)
  return { cid: CID.createV1(0x55, create(0x12, createHash('sha256').update(bytes).digest())), bytes }
}
const [one, two, three] = [blockOf('one'), blockOf('two'), blockOf('three')]

test('a journal keeps its items, drops an incomplete line, and rejects another import', async () => {
  const path = join(folder, 'journal.jsonl')
  const belongsTo = { source: 'cids list', account: 'http://here 0x1' }
  {
    await using journal = await openJournal(path, belongsTo)
    await Promise.all([journal.add('a', 'cid-a'), journal.add('b\n', 'cid-b')])
  }
  await appendFile(path, '{"id":"c","ci')
  {
    await using journal = await openJournal(path, belongsTo)
    expect([journal.has('a'), journal.has('b\n'), journal.has('c'), journal.size]).toEqual([true, true, false, 2])
    await journal.add('d', 'cid-d')
  }
  expect(
    (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
  ).toEqual([undefined, 'a', 'b\n', 'd'])
  for (const other of [{ source: 'cids other' }, { account: 'http://there 0x1' }])
    await expect(openJournal(path, { ...belongsTo, ...other })).rejects.toMatchObject({ code: 'INVALID_ARCHIVE' })
})

test('staged blocks survive a process, except for an incomplete one at the end', async () => {
  const path = join(folder, 'staged', 'x.car')
  {
    await using staged = await openStagedDag(path, one.cid)
    await Promise.all([staged.add(one.cid, one.bytes), staged.add(two.cid, two.bytes), staged.add(two.cid, two.bytes)])
    expect(staged.blocks.table.size).toBe(2)
  }
  await truncate(path, (await stat(path)).size - 1)
  {
    await using staged = await openStagedDag(path, one.cid)
    expect([staged.blocks.has(one.cid), staged.blocks.has(two.cid)]).toEqual([true, false])
    await staged.add(three.cid, three.bytes)
  }
  await using staged = await openStagedDag(path, one.cid)
  expect(await staged.blocks.get(three.cid)).toEqual(new Uint8Array(three.bytes))
  await expect(staged.blocks.get(two.cid)).rejects.toMatchObject({ code: 'MISSING_BLOCK' })
  await truncate(path, 3)
  await using empty = await openStagedDag(path, one.cid)
  expect([empty.blocks.has(one.cid), (await stat(path)).size > 3]).toEqual([false, true])
})
