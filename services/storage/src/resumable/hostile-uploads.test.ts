import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { MIB } from '@cairn/protocol'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { maxSmallParts, minPartBytes } from './small-parts.ts'
import { acquireUpload, addPart } from './store.ts'
import { createTus, tusMetadata } from './tus.fixture.ts'
import { storeLeftOver } from './worker.ts'

const never = new AbortController().signal

describeOnDatabases('hostile and unlucky senders, on %s', (newDatabase) => {
  let storage: TestStorage
  let key: string
  const account = privateKeyToAccount(generatePrivateKey())
  const { tus, create, patch, info, figures, dieBeforeStoring } = createTus(() => ({
    storage,
    key,
    address: account.address.toLowerCase(),
  }))
  beforeEach(async () => {
    storage = await startTestStorage({
      CAIRN_FREE_BYTES: String(64 * MIB),
      CAIRN_RATE_FACTOR: '0',
      ...(await newDatabase()),
    })
    key = await storage.createKey(account)
  })
  afterEach(() => storage[Symbol.asyncDispose]())

  test.each(['back\\slash\\\\twice.txt', 'ends\\', 'a%22b%0Ac.txt', 'quo"te;x=".txt', 'höh\u202ee ’.txt'])(
    'keep the file name %j exactly',
    async (name) => {
      const path = await create(3, { filename: name })
      expect((await patch(path, 0, Buffer.from('abc'))).status).toBe(204)
      expect((await info(path)).result?.map(({ Name }) => Name)).toEqual([name])
    },
  )

  test('cannot send metadata with control characters, which is rejected before any byte', async () => {
    for (const field of ['filename', 'filetype', 'storage-type', 'profile', 'body-type']) {
      const answer = await tus('/api/uploads', {
        method: 'POST',
        headers: { 'upload-length': '5', 'upload-metadata': tusMetadata({ [field]: 'image/a\0b' }) },
      })
      expect([field, answer.status]).toEqual([field, 400])
    }
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
  })

  test('do not use up the retries of an upload while the disk is full', async () => {
    const bytes = randomBytes(1000)
    const path = await create(bytes.length)
    await dieBeforeStoring(path, bytes)
    storage.pass(9_000)
    const folder = join(storage.home, 'packs', 'tmp')
    await rename(folder, `${folder}-away`)
    const codes: (string | null)[] = []
    while (codes.length < 20) {
      const { status, headers } = await patch(path, bytes.length, new Uint8Array())
      // The service's worker may be storing it.
      if (status !== 423) codes.push(headers.get('x-cairn-code'))
    }
    expect(new Set(codes)).toEqual(new Set(['STORAGE_FAILED']))
    expect(await info(path)).toMatchObject({ state: 'storing' })
    await rename(`${folder}-away`, folder)
    storage.pass(3_600_000)
    await storeLeftOver(storage.context, never)
    expect((await info(path)).state).toBe('stored')
  })

  test('reach a limit with tiny parts before they fill the disk', async () => {
    const path = await create(MIB)
    const upload_id = path.split('/').at(-1) ?? ''
    // As if each request had brought one byte.
    await storage.context.db.write(async (trx) => {
      const rows = Array.from({ length: maxSmallParts }, (_part, at) => ({
        upload_id,
        offset_bytes: at,
        size_bytes: 1,
        object_key: `uploads/${at}`,
      }))
      await trx.insertInto('resumable_part').values(rows).execute()
      await trx
        .updateTable('resumable_upload')
        .set({ offset_bytes: maxSmallParts })
        .where('id', '=', upload_id)
        .execute()
    })
    const before = await figures()
    const small = await patch(path, maxSmallParts, randomBytes(minPartBytes - 1))
    expect([small.status, small.headers.get('x-cairn-code')]).toEqual([413, 'TOO_MANY_PARTS'])
    expect(await figures()).toEqual(before)
    const large = await patch(path, maxSmallParts, randomBytes(minPartBytes))
    expect([large.status, large.headers.get('upload-offset')]).toEqual([204, String(maxSmallParts + minPartBytes)])
    expect((await patch(path, maxSmallParts + minPartBytes, randomBytes(1))).status).toBe(413)
  })

  test('record nothing after a long pause between a durable part and its row, because the sweep may have removed it', async () => {
    const path = await create(10)
    const upload = await acquireUpload(storage.context, path.split('/').at(-1) ?? '', 'receiving', 'asleep')
    if (upload === undefined) throw new Error('nobody else has it')
    storage.pass(2 * 3_600_000)
    const part = { offset_bytes: 0, size_bytes: 10, object_key: 'uploads/gone.0.x' }
    await expect(addPart(storage.context, upload, 'asleep', part)).rejects.toMatchObject({ code: 'UPLOAD_BUSY' })
    expect((await patch(path, 0, randomBytes(10))).status).toBe(204)
  })
})
