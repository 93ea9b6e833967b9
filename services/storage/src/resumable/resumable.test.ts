// Uploads in parts become what one request would have stored, and requests that cannot are rejected.
import { createHash, randomBytes } from 'node:crypto'
import { MIB, tusBodyType } from '@cairn/protocol'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { describeTus } from './describe-tus.fixture.ts'
import { tusMetadata } from './tus.fixture.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describeTus('uploads in parts on %s', (world) => {
  test('have the same content as in one request', async () => {
    const { storage, key, create, patch, head, info, read, figures } = world()
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
    const { storage, key, create, patch, info } = world()
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
    const { create, info } = world()
    const path = await create(0, { filename: 'empty' })
    const { state, result } = await info(path)
    expect(state).toBe('stored')
    expect(result?.[0]?.Hash).toBe('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
  })

  test('reject a wrong offset, too many bytes, a missing version and a wrong type', async () => {
    const { storage, tus, create, patch, head } = world()
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

  test('can be sent and cancelled by clients that can only POST', async () => {
    const { tus, create, head, figures } = world()
    const path = await create(10)
    const override = (method: string, more: Record<string, string> = {}) => ({
      method: 'POST',
      headers: { 'x-http-method-override': method, ...more },
    })
    const headers = { 'upload-offset': '0', 'content-type': tusBodyType }
    const sent = await tus(path, { ...override('PATCH', headers), body: randomBytes(4) })
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, '4'])
    expect((await tus(path, override('PUT'))).status).toBe(405)
    expect((await tus('/api/uploads', override('DELETE'))).status).not.toBe(204)
    expect((await tus(path, override('DELETE'))).status).toBe(204)
    expect((await head(path)).status).toBe(404)
    expect((await figures()).parts).toBe(0)
  })

  test('reject the parts of a parallel upload, which would become files', async () => {
    const { tus, figures } = world()
    const answer = await tus('/api/uploads', {
      method: 'POST',
      headers: { 'upload-length': '5', 'upload-concat': 'partial' },
    })
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.body).toContain('Upload-Concat')
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
  })

  test('hold a body of unknown length to the declared length', async () => {
    const { tus, create, head, figures } = world()
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
    const { tus, figures } = world()
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

  test('accept a folder as its multipart body, and an encrypted file with its mark', async () => {
    const { storage, create, patch, info } = world()
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

  test('accept a CAR as a CAR', async () => {
    const { storage, key, create, patch, info } = world()
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
      filetype: 'text/x-kept; charset=utf-8',
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
    const { create, patch, info, figures } = world()
    const path = await create(20, { 'body-type': 'multipart/form-data; boundary=bb' })
    const answer = await patch(path, 0, randomBytes(20))
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([400, 'INVALID_MULTIPART'])
    expect(await info(path)).toMatchObject({ state: 'failed', error: { code: 'INVALID_MULTIPART' } })
    expect(await figures()).toEqual({ used: 0, reserved: 0, uploads: 0, parts: 0 })
    expect((await patch(path, 20, new Uint8Array())).headers.get('x-cairn-code')).toBe('INVALID_MULTIPART')
  })
})
