import { createHash, randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { rename } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { MIB, resumableSegmentBytes, tusBodyType, type UploadInfo } from '@cairn/protocol'
import { createKilledReplica } from '@cairn/service/killed-replica-fixture'
import { CID } from 'multiformats/cid'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { removeAllDoomed } from '../objects/doomed-objects.ts'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { acquireUpload, dropUpload } from './store.ts'
import { createTus, tusMetadata } from './tus.fixture.ts'
import { removeAbandoned, removeExpired, storeLeftOver } from './worker.ts'

const day = 24 * 3_600_000
const never = new AbortController().signal
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describeOnDatabases('uploads in parts on %s', (newDatabase) => {
  let storage: TestStorage
  let database: Record<string, string>
  let key: string
  const account = privateKeyToAccount(generatePrivateKey())
  const settings = (more: Record<string, string> = {}) => ({
    CAIRN_FREE_BYTES: String(64 * MIB),
    CAIRN_OPEN_UPLOADS: '3',
    ...database,
    ...more,
  })
  beforeEach(async () => {
    database = await newDatabase()
    storage = await startTestStorage(settings())
    key = await storage.createKey(account)
  })
  afterEach(() => storage[Symbol.asyncDispose]())

  const { tus, create, patch, head, info, read, figures, dieBeforeStoring } = createTus(() => ({
    storage,
    key,
    address: account.address.toLowerCase(),
  }))
  /**
   * Sends a PATCH that announces `length` bytes and aborts once the service, which runs in this process, has read
   * `bytes`.
   */
  const breakOff = async (path: string, offset: number, length: number, bytes: Uint8Array, from = storage) => {
    let reading: IncomingMessage | undefined
    const watch = (message: unknown) => {
      const { request: begun } = message as { request: IncomingMessage }
      if (begun.method === 'PATCH' && begun.url === path) reading = begun
    }
    subscribe('http.server.request.start', watch)
    try {
      const { hostname, port } = new URL(from.apiUrl)
      const sending = request({
        hostname,
        port,
        path,
        // Its own connection: the bytes read from it belong to this request.
        agent: false,
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${key}`,
          'tus-resumable': '1.0.0',
          'upload-offset': String(offset),
          'content-type': tusBodyType,
          'content-length': String(length),
        },
      })
      sending.on('error', () => undefined)
      const closed = new Promise((resolve) => sending.on('close', resolve))
      sending.write(bytes)
      await expect.poll(() => reading?.socket.bytesRead).toBeGreaterThan(bytes.length)
      sending.destroy()
      await closed
    } finally {
      unsubscribe('http.server.request.start', watch)
    }
  }
  const until = async <T>(inspect: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> => {
    const found = await vi.waitUntil(
      async () => {
        const value = await inspect()
        return wanted(value) && { value }
      },
      { interval: 20, timeout: 60_000 },
    )
    return found.value
  }

  /** Queries the offset and sends the rest, until no other writer is active. */
  const goOn = (path: string, bytes: Uint8Array, at = storage) =>
    until(
      async () => {
        const { offset } = await head(path)
        return (await patch(path, offset, bytes.subarray(offset), at)).status
      },
      (status) => {
        expect([204, 409, 423]).toContain(status)
        return status === 204
      },
    )

  test('become the same content as in one request', async () => {
    const bytes = randomBytes(3 * MIB + 17)
    const path = await create(bytes.length, { filename: 'photo.png', filetype: 'image/png' })
    expect(await figures()).toMatchObject({ used: 0, reserved: bytes.length })
    expect((await patch(path, 0, bytes.subarray(0, MIB))).status).toBe(204)
    expect(await head(path)).toEqual({ status: 200, offset: MIB })
    expect(await info(path)).toMatchObject({ state: 'receiving', offsetBytes: MIB, name: 'photo.png' })
    const last = await patch(path, MIB, bytes.subarray(MIB))
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, String(bytes.length)])
    const { state, result } = await info(path)
    expect(state).toBe('stored')
    const cid = result?.[0]?.Hash ?? ''
    expect(result?.[0]?.Name).toBe('photo.png')
    expect(sha256(await read(cid))).toBe(sha256(bytes))
    const form = new FormData()
    form.append('file', new Blob([bytes]), 'photo.png')
    const plain = await storage.call('/api/v0/add?cid-version=1', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    })
    expect((plain.json as { Hash: string }).Hash).toBe(cid)
    expect(await figures()).toEqual({ used: 2 * bytes.length, reserved: 0, uploads: 2, parts: 0 })
    const row = await storage.context.db.read.selectFrom('upload').select(['mime_type', 'kind']).execute()
    expect(row[0]).toEqual({ mime_type: 'image/png', kind: 'file' })
    // An empty request at the end has no effect.
    expect((await patch(path, bytes.length, new Uint8Array())).status).toBe(204)
    expect((await figures()).uploads).toBe(2)
  })

  test('accept every option of an upload in one request', async () => {
    const bytes = randomBytes(MIB)
    const options = { 'cid-version': '1', 'raw-leaves': 'false', chunker: 'size-65536', 'wrap-with-directory': '1' }
    const path = await create(bytes.length, { filename: 'a', 'storage-type': 'x', ...options })
    expect((await patch(path, 0, bytes)).status).toBe(204)
    const form = new FormData()
    form.append('file', new Blob([bytes]), 'a')
    const plain = await storage.call(`/api/v0/add?${new URLSearchParams(options)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'x-storage-type': 'x' },
      body: form,
    })
    expect((await info(path)).result).toEqual([plain.json])
    const rows = await storage.context.db.read
      .selectFrom('upload')
      .select(['cid', 'name', 'storage_type', 'kind'])
      .execute()
    expect(rows).toHaveLength(2)
    expect(rows[0]).toEqual(rows[1])
    expect(rows[0]).toMatchObject({ storage_type: 'x', kind: 'directory' })
  })

  test('complete an empty file at once', async () => {
    const path = await create(0, { filename: 'empty' })
    const { state, result } = await info(path)
    expect(state).toBe('stored')
    expect(result?.[0]?.Hash).toBe('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
  })

  test('keep the bytes received before the connection broke', async () => {
    const bytes = randomBytes(resumableSegmentBytes + 3 * MIB)
    const path = await create(bytes.length)
    const sent = resumableSegmentBytes + MIB + 5
    await breakOff(path, 0, bytes.length, bytes.subarray(0, sent))
    const { offset } = await until(
      () => head(path),
      (now) => now.offset > resumableSegmentBytes,
    )
    // Only bytes that the machine had not delivered yet are lost.
    expect(offset).toBeLessThanOrEqual(sent)
    await goOn(path, bytes)
    expect(sha256(await read((await info(path)).result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
  })

  test('reject a wrong offset, too many bytes, a missing version and a wrong type', async () => {
    const path = await create(10)
    expect((await patch(path, 0, randomBytes(4))).status).toBe(204)
    const wrong = await patch(path, 3, randomBytes(4))
    expect([wrong.status, wrong.headers.get('x-cairn-code')]).toEqual([409, 'UPLOAD_OFFSET'])
    expect(wrong.headers.get('upload-offset')).toBe('4')
    const long = await patch(path, 4, randomBytes(7))
    expect([long.status, long.headers.get('x-cairn-code')]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const version = await tus(path, { method: 'PATCH', headers: { 'tus-resumable': '0.2.2' } })
    expect([version.status, version.headers.get('tus-version')]).toEqual([412, '1.0.0'])
    const type = await tus(path, {
      method: 'PATCH',
      headers: { 'upload-offset': '4', 'content-type': 'text/plain' },
      body: 'abcdef',
    })
    expect(type.status).toBe(415)
    expect((await head(path)).offset).toBe(4)
    const options = await storage.call('/api/uploads', { method: 'OPTIONS' })
    expect([options.status, options.headers.get('tus-extension')]).toEqual([204, 'creation,expiration,termination'])
  })

  test('hold a body of unknown length to the declared length', async () => {
    const path = await create(10)
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(randomBytes(MIB)),
    })
    const answer = await tus(path, {
      method: 'PATCH',
      headers: { 'upload-offset': '0', 'content-type': tusBodyType },
      body: endless,
      duplex: 'half',
    }).catch(() => undefined)
    if (answer !== undefined) expect(answer.status).toBe(413)
    expect(await head(path)).toEqual({ status: 200, offset: 0 })
    expect((await figures()).parts).toBe(0)
  })

  test('check metadata before the first byte', async () => {
    const send = async (header: string, length = '5') => {
      const answer = await tus('/api/uploads', {
        method: 'POST',
        headers: { 'upload-length': length, 'upload-metadata': header },
      })
      return answer.headers.get('x-cairn-code')
    }
    expect(await send('filename !!!')).toBe('INVALID_REQUEST')
    expect(await send('filename YQ==,filename YQ==')).toBe('INVALID_REQUEST')
    expect(await send(tusMetadata({ filename: '../a' }))).toBe('INVALID_PATH')
    expect(await send(tusMetadata({ 'cid-version': '7' }))).toBe('INVALID_CID_VERSION')
    expect(await send(tusMetadata({ 'body-type': 'text/html' }))).toBe('INVALID_REQUEST')
    expect(await send(tusMetadata({ 'body-type': 'multipart/form-data; x=y' }))).toBe('INVALID_MULTIPART')
    expect(await send('', '-1')).toBe('INVALID_REQUEST')
    expect(await send('', '999999999999999')).toBe('PAYLOAD_TOO_LARGE')
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
  })

  test('reserve storage from the start, and release it on cancellation', async () => {
    const refused = await tus('/api/uploads', { method: 'POST', headers: { 'upload-length': String(65 * MIB) } })
    expect([refused.status, refused.headers.get('x-cairn-code')]).toEqual([402, 'QUOTA_EXCEEDED'])
    const path = await create(60 * MIB)
    const second = await tus('/api/uploads', { method: 'POST', headers: { 'upload-length': String(5 * MIB) } })
    expect(second.status).toBe(402)
    await patch(path, 0, randomBytes(MIB))
    expect(await figures()).toMatchObject({ reserved: 60 * MIB, parts: 0 })
    expect((await tus(path, { method: 'DELETE' })).status).toBe(204)
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect((await head(path)).status).toBe(404)
    expect((await patch(path, MIB, randomBytes(1))).status).toBe(404)
  })

  test('are limited per account, and invisible to other accounts', async () => {
    const paths = [await create(5), await create(6), await create(7)]
    const more = await tus('/api/uploads', { method: 'POST', headers: { 'upload-length': '5' } })
    expect([more.status, more.headers.get('x-cairn-code')]).toEqual([403, 'UPLOAD_LIMIT'])
    expect(await figures()).toMatchObject({ reserved: 18 })
    const list = (await tus('/api/uploads')).json as { uploads: UploadInfo[] }
    expect(list.uploads.map(({ lengthBytes }) => lengthBytes)).toEqual([7, 6, 5])
    const mine = key
    key = await storage.createKey()
    for (const method of ['GET', 'HEAD', 'DELETE'])
      expect((await tus(paths[0] ?? '', { method })).status, method).toBe(404)
    expect((await patch(paths[0] ?? '', 0, randomBytes(5))).status).toBe(404)
    expect((await tus('/api/uploads')).json).toEqual({ uploads: [] })
    key = mine
    expect((await patch(paths[0] ?? '', 0, randomBytes(5))).status).toBe(204)
  })

  test('reject one of two concurrent writers, and mix nothing', async () => {
    const bytes = randomBytes(12 * MIB)
    const path = await create(bytes.length)
    const answers = await Promise.all([patch(path, 0, bytes), patch(path, 0, randomBytes(bytes.length))])
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses[0]).toBe(204)
    // Rejected while the other one wrote, or after it had finished.
    expect([409, 423]).toContain(statuses[1])
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
    const stored = sha256(await read((await info(path)).result?.[0]?.Hash ?? ''))
    if (answers[0]?.status === 204) expect(stored).toBe(sha256(bytes))
    else expect(stored).not.toBe(sha256(bytes))
  })

  test('withdraw the right to write after a long silence, and ignore later bytes', async () => {
    const path = await create(100)
    const id = path.split('/').at(-1) ?? ''
    const { context } = storage
    expect(await acquireUpload(context, id, 'receiving', 'silent')).toBeDefined()
    const busy = await patch(path, 0, randomBytes(100))
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([423, '1'])
    storage.pass(9_000)
    expect((await patch(path, 0, randomBytes(100))).status).toBe(204)
    expect((await info(path)).state).toBe('stored')
  })

  test('take a folder as its multipart body, and an encrypted file with its mark', async () => {
    const body = Buffer.from(
      [
        ['d/a.txt', 'one'],
        ['d/b/c.txt', 'two'],
      ]
        .map(
          ([name, text]) =>
            `--bb\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${text}\r\n`,
        )
        .concat('--bb--\r\n')
        .join(''),
    )
    const path = await create(body.length, { 'body-type': 'multipart/form-data; boundary=bb' })
    await patch(path, 0, body.subarray(0, 50))
    expect((await patch(path, 50, body.subarray(50))).status).toBe(204)
    const folder = (await info(path)).result ?? []
    expect(folder.map(({ Name }) => Name)).toEqual(['d'])
    const inside = await fetch(`${storage.gatewayUrl}/ipfs/${folder[0]?.Hash}/b/c.txt`)
    expect(await inside.text()).toBe('two')
    const apart = await create(body.length, { 'body-type': 'multipart/form-data; boundary=bb', encryption: 'true' })
    await patch(apart, 0, body)
    expect((await info(apart)).result?.map(({ Name }) => Name)).toEqual(['d/a.txt', 'd/b/c.txt'])
    const rows = await storage.context.db.read.selectFrom('upload').select('encryption').orderBy('id').execute()
    expect(rows.map(({ encryption }) => encryption)).toEqual([0, 1, 1])
  })

  test('take a CAR as a CAR', async () => {
    const form = new FormData()
    form.append('file', new Blob(['hello car']), 'x.txt')
    const added = await storage.call('/api/v0/add?cid-version=1', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    })
    const cid = (added.json as { Hash: string }).Hash
    const car = new Uint8Array(
      await (await fetch(`${storage.gatewayUrl}/ipfs/${CID.parse(cid)}?format=car`)).arrayBuffer(),
    )
    const path = await create(car.length, {
      filename: 'kept.car',
      filetype: 'text/x-kept',
      encryption: 'true',
      'body-type': 'application/vnd.ipld.car',
    })
    expect((await patch(path, 0, car)).status).toBe(204)
    expect((await info(path)).result).toMatchObject([{ Name: 'kept', Hash: cid }])
    const row = await storage.context.db.read
      .selectFrom('upload')
      .select(['mime_type', 'encryption'])
      .where('kind', '=', 'car')
      .executeTakeFirst()
    expect(row).toEqual({ mime_type: 'text/x-kept', encryption: 1 })
  })

  test('end when the bytes differ from the declaration, and leave nothing', async () => {
    const path = await create(20, { 'body-type': 'multipart/form-data; boundary=bb' })
    const answer = await patch(path, 0, randomBytes(20))
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([400, 'INVALID_MULTIPART'])
    expect(await info(path)).toMatchObject({ state: 'failed', error: { code: 'INVALID_MULTIPART' } })
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect((await patch(path, 20, new Uint8Array())).headers.get('x-cairn-code')).toBe('INVALID_MULTIPART')
  })

  test('are stored once by the next request after all bytes arrived', async () => {
    const bytes = randomBytes(2 * MIB)
    const path = await create(bytes.length)
    const { context } = storage
    await dieBeforeStoring(path, bytes)
    expect(await info(path)).toMatchObject({ state: 'storing', offsetBytes: bytes.length })
    expect(await storeLeftOver(context, never)).toBe(0)
    storage.pass(9_000)
    const rounds = await Promise.all([storeLeftOver(context, never), storeLeftOver(context, never)])
    // The service's worker may be the third.
    expect(rounds[0] + rounds[1]).toBeLessThanOrEqual(1)
    const { result } = await until(
      () => info(path),
      ({ state }) => state === 'stored',
    )
    expect(sha256(await read(result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
  })

  test('of a blocked account wait, and are stored once it is unblocked', async () => {
    const bytes = randomBytes(1000)
    const path = await create(bytes.length)
    const { context } = storage
    const block = (blockedAt: number | null) =>
      context.db.write((trx) => trx.updateTable('account').set({ blocked_at: blockedAt }).execute())
    await dieBeforeStoring(path, bytes)
    await block(1)
    storage.pass(9_000)
    expect(await storeLeftOver(context, never)).toBe(0)
    expect(await figures()).toMatchObject({ used: 0, uploads: 0, parts: 1 })
    await block(null)
    await storeLeftOver(context, never)
    await until(
      () => info(path),
      ({ state }) => state === 'stored',
    )
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
  })

  test('end with a clear error if a part is missing', async () => {
    const path = await create(MIB + 1)
    await patch(path, 0, randomBytes(MIB))
    for await (const name of storage.context.objects.list('uploads/')) {
      await storage.context.objects.remove(name)
    }
    const answer = await patch(path, MIB, randomBytes(1))
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([500, 'DATA_DAMAGED'])
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
  })

  test('expire when abandoned, with their parts and their reserved storage', async () => {
    const path = await create(3 * MIB)
    await patch(path, 0, randomBytes(MIB))
    storage.pass(6 * day)
    await patch(path, MIB, randomBytes(MIB))
    storage.pass(6 * day)
    expect((await head(path)).offset).toBe(2 * MIB)
    storage.pass(day + 1000)
    expect((await head(path)).status).toBe(404)
    await removeExpired(storage.context, never)
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
  })

  test('of an ended replica without a record are removed, others stay', async () => {
    const { context } = storage
    const path = await create(2 * MIB)
    await patch(path, 0, randomBytes(MIB))
    const killed = await createKilledReplica(context.config.packFolder)
    await killed.finish('uploads/lost.0.x')
    // A confirmed part without a row may have lost it.
    await killed.finish('uploads/unknown.0.x', { confirm: true })
    await removeAbandoned(context, never)
    // With SQLite every other replica is gone. With other replicas, its age decides.
    expect(await context.objects.size('uploads/lost.0.x')).toBe(!('CAIRN_DATABASE_URL' in database) ? undefined : 10)
    await killed.age()
    await removeAbandoned(context, never)
    expect(await context.objects.size('uploads/lost.0.x')).toBeUndefined()
    expect(await context.objects.size('uploads/unknown.0.x')).toBe(10)
    await context.objects.remove('uploads/unknown.0.x')
    expect((await figures()).parts).toBe(1)
    expect((await patch(path, MIB, randomBytes(MIB))).status).toBe(204)
  })

  test('that an interrupted removal left are removed by the next round', async () => {
    const { context } = storage
    const path = await create(2 * MIB)
    await patch(path, 0, randomBytes(MIB))
    // The state after a cancelled upload whose process ended right after its unit of work.
    const { keys } = await dropUpload(context, path.split('/').at(-1) ?? '')
    expect(keys).toHaveLength(1)
    expect((await head(path)).status).toBe(404)
    await removeAllDoomed(context)
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect(await context.db.read.selectFrom('doomed_object').selectAll().execute()).toEqual([])
  })

  test('continue at another replica', async () => {
    if (!('CAIRN_DATABASE_URL' in database)) return
    await using other = await startTestStorage(
      settings({
        CAIRN_PACK_FOLDER: `${storage.home}/packs`,
        CAIRN_STORAGE_SECRET: Buffer.from(storage.context.secret).toString('hex'),
      }),
    )
    const bytes = randomBytes(10 * MIB)
    const path = await create(bytes.length)
    await breakOff(path, 0, bytes.length, bytes.subarray(0, 9 * MIB))
    await goOn(path, bytes, other)
    expect(sha256(await read((await info(path)).result?.[0]?.Hash ?? ''))).toBe(sha256(bytes))
  })

  test('survive an error of the store: an empty request at the end asks once more', async () => {
    const bytes = randomBytes(2 * MIB)
    const path = await create(bytes.length)
    await dieBeforeStoring(path, bytes)
    storage.pass(9_000)
    const folder = join(storage.home, 'packs', 'tmp')
    await rename(folder, `${folder}-away`)
    const ask = () =>
      until(
        () => patch(path, bytes.length, new Uint8Array()),
        ({ status }) => status !== 423,
      )
    const failed = await ask()
    expect([failed.status, failed.headers.get('x-cairn-code')]).toEqual([500, 'STORAGE_FAILED'])
    expect(await info(path)).toMatchObject({ state: 'storing' })
    expect(await figures()).toMatchObject({ used: 0, reserved: bytes.length, parts: 1 })
    await rename(`${folder}-away`, folder)
    expect((await ask()).status).toBe(204)
    expect((await info(path)).state).toBe('stored')
    expect(await figures()).toEqual({ used: bytes.length, reserved: 0, uploads: 1, parts: 0 })
  })
})
