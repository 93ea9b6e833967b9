import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../services/storage/src/db/database.ts'
import { createPackPlace, manyBlocks } from '../../services/storage/src/packs/pack.fixture.ts'
import { readPack } from '../../services/storage/src/packs/recovery/read-pack.ts'

test('a pack truncated anywhere in its last 4 KiB is never accepted as complete, and what lies before can be read', async () => {
  const rows = await mkdtemp(join(tmpdir(), 'cairn-torn-'))
  const place = await createPackPlace(await openDatabase({ kind: 'sqlite', path: join(rows, 'cairn.sqlite') }))
  const earlier = manyBlocks(3, 1000, 5)
  await place.store(earlier)
  const blocks = manyBlocks(10, 700)
  const sealed = await place.seal(blocks)
  await place.record(sealed)
  if (sealed.own === undefined) throw new Error('nothing new')
  const { id, objectKey: key, sizeBytes } = sealed.own
  const path = join(place.folder, 'objects', key)
  const whole = await readFile(path)
  expect(await readPack(place.objects, { id, key, sizeBytes })).toBeDefined()
  for (let cut = 1; cut <= 4096; cut += cut < 100 ? 1 : 61) {
    await writeFile(path, whole.subarray(0, sizeBytes - cut))
    expect(await readPack(place.objects, { id, key, sizeBytes: sizeBytes - cut }), `${cut}`).toBeUndefined()
    const packs = place.reopen()
    const [first] = blocks
    if (first !== undefined) expect(Buffer.compare(await packs.get(first.cid), first.bytes)).toBe(0)
    for (const { cid, bytes } of earlier) expect(Buffer.compare(await packs.get(cid), bytes)).toBe(0)
  }
  await place.remove()
  await rm(rows, { recursive: true, force: true })
})
