// A lost database: private uploads are private again afterwards, from the packs alone.
import { randomBytes } from 'node:crypto'
import { tusBodyType, type UploadInfo } from '@cairn/protocol'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tusMetadata } from '../resumable/tus.fixture.ts'
import { type Drill, openDrill, type Running } from './drill.fixture.ts'
import { checkStore, recoverStore } from './maintain.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

describe.each(databaseKinds)('private uploads after a lost database on %s', (kind) => {
  let drill: Drill
  beforeEach(async () => {
    drill = await openDrill(kind === 'postgres' ? postgres : undefined)
  })
  afterEach(() => drill[Symbol.asyncDispose]())

  /** Uploads in parts, which are packs without a root. */
  async function uploadInParts(running: Running, key: string, bytes: Uint8Array): Promise<string> {
    const tus = { authorization: `Bearer ${key}`, 'tus-resumable': '1.0.0' }
    const created = await fetch(`${running.apiUrl}/api/uploads`, {
      method: 'POST',
      headers: {
        ...tus,
        'upload-length': String(bytes.length),
        'upload-metadata': tusMetadata({ filename: 'film.bin', private: 'true' }),
      },
    })
    const url = new URL(created.headers.get('location') ?? '', `${running.apiUrl}/api/uploads`)
    for (let from = 0; from < bytes.length; ) {
      const to = Math.min(bytes.length, from + 12_000_000)
      const sent = await fetch(url, {
        method: 'PATCH',
        headers: { ...tus, 'content-type': tusBodyType, 'upload-offset': String(from) },
        body: bytes.subarray(from, to) as BodyInit,
      })
      expect(sent.status).toBe(204)
      from = to
    }
    const info = await fetch(url, { headers: tus })
    return ((await info.json()) as UploadInfo).result?.[0]?.Hash ?? ''
  }

  test('stay private, and are listed as private for the account of the recovery', async () => {
    const [secret, shown, film, both] = [
      randomBytes(700_000),
      randomBytes(700_000),
      randomBytes(20_000_000),
      randomBytes(40),
    ]
    const roots: Record<'secret' | 'shown' | 'film' | 'both', string> = { secret: '', shown: '', film: '', both: '' }
    {
      await using running = await drill.start()
      const key = await running.signIn()
      roots.secret = (await running.upload(key, 'secret.bin', secret, { private: 'true' })).cid
      roots.shown = (await running.upload(key, 'shown.bin', shown)).cid
      roots.film = await uploadInParts(running, key, film)
      roots.both = (await running.upload(key, 'both.bin', both, { private: 'true' })).cid
      expect((await running.upload(key, 'both.bin', both)).cid).toBe(roots.both)
      for (const cid of [roots.secret, roots.film])
        expect(await running.read(cid)).toMatchObject({ status: 404, code: 'BLOCK_NOT_FOUND' })
    }
    await drill.loseDatabase()
    const recovered = await recoverStore(drill.config(), { takeOver: true, owner: drill.address }, () => undefined)
    expect(recovered.isWell).toBe(true)
    {
      await using running = await drill.start()
      for (const cid of [roots.secret, roots.film])
        expect(await running.read(cid)).toMatchObject({ status: 404, code: 'BLOCK_NOT_FOUND' })
      expect((await running.read(roots.shown)).bytes.equals(shown)).toBe(true)
      expect((await running.read(roots.both)).bytes.equals(both)).toBe(true)
      const key = await running.signIn()
      expect((await running.read(await running.link(key, roots.secret))).bytes.equals(secret)).toBe(true)
      expect((await running.read(await running.link(key, roots.film))).bytes.equals(film)).toBe(true)
      const rows = await running.context.db.read.selectFrom('upload').select(['cid', 'is_private']).execute()
      expect(rows.toSorted((a, b) => `${a.cid}${a.is_private}`.localeCompare(`${b.cid}${b.is_private}`))).toEqual(
        [
          { cid: roots.secret, is_private: 1 },
          { cid: roots.shown, is_private: 0 },
          { cid: roots.film, is_private: 1 },
          { cid: roots.both, is_private: 0 },
          { cid: roots.both, is_private: 1 },
        ].toSorted((a, b) => `${a.cid}${a.is_private}`.localeCompare(`${b.cid}${b.is_private}`)),
      )
    }
    expect((await checkStore(drill.config(), { readData: 1 }, () => undefined)).isWell).toBe(true)
  })
})
