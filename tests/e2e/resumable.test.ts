// Uploads in parts against a real network: by the SDK over an unreliable line, and by the published tus client, unchanged.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MIB } from '@cairn/protocol'
import {
  cancelUpload,
  createClient,
  createResumable,
  downloadBytes,
  getUpload,
  type ResumableState,
  resumeUpload,
  uploadFile,
  uploadFolder,
  uploadStream,
  uploadText,
} from '@cairn/sdk'
import { Upload } from 'tus-js-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

const sizeBytes = 24 * MIB
let network: TestNetwork
let apiKey: string
let folder: string
beforeAll(async () => {
  network = await createTestNetwork()
  apiKey = (await createTestKey(network)).apiKey
  folder = await mkdtemp(join(tmpdir(), 'cairn-resumable-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** A line to the service that counts upload bytes and can break in the middle. */
async function openLine() {
  const line = { url: '', sent: 0, breakAfter: Number.POSITIVE_INFINITY, breaks: 0, onBreak: () => {} }
  const server = createServer((from, to) => {
    const target = new URL(from.url ?? '/', network.profile.api)
    const onward = request(target, { method: from.method, headers: { ...from.headers, host: target.host } })
    onward.on('response', (answer) => {
      to.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(to)
    })
    onward.on('error', () => to.destroy())
    from.on('data', (piece: Buffer) => {
      if (from.method === 'PATCH') line.sent += piece.length
      // Bytes waiting here would be lost with the line, which is not the sender's fault.
      if (!onward.write(piece)) {
        from.pause()
        onward.once('drain', () => from.resume())
      }
      if (line.sent < line.breakAfter) return
      line.breakAfter = Number.POSITIVE_INFINITY
      line.breaks++
      line.onBreak()
      // Bytes already handed over arrive; then both ends fall silent.
      from.destroy()
      onward.destroy()
    })
    from.on('end', () => onward.end())
    from.on('error', () => onward.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  line.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    line,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

let line: Awaited<ReturnType<typeof openLine>>
beforeEach(async () => {
  line = await openLine()
})
afterEach(() => line.close())

const clientOver = (url: string) => createClient({ network: { ...network.profile, api: url, upload: url }, apiKey })

/** Only the bytes in transit when the line broke are sent again. */
const maxLost = 10 * MIB

test('retries after a broken connection, and does not resend what arrived', async () => {
  const path = join(folder, 'breaks.bin')
  const bytes = randomBytes(sizeBytes)
  await writeFile(path, bytes)
  line.line.breakAfter = sizeBytes / 2
  const { cid, name } = await uploadFile(clientOver(line.line.url), path, { resumable: createResumable() })
  expect(line.line.breaks).toBe(1)
  expect(line.line.sent).toBeLessThan(sizeBytes + maxLost)
  expect(name).toBe('breaks.bin')
  expect(Buffer.from(await downloadBytes(clientOver(network.profile.api), cid)).equals(bytes)).toBe(true)
})

test('another process resumes with the state, and sends only the rest', async () => {
  const path = join(folder, 'resumed.bin')
  await writeFile(path, randomBytes(sizeBytes))
  const client = clientOver(line.line.url)
  let state: ResumableState | undefined
  const stop = new AbortController()
  line.line.breakAfter = sizeBytes / 2
  line.line.onBreak = () => stop.abort()
  const first = uploadFile(client, path, {
    resumable: createResumable({
      onState: (next) => {
        state = next
      },
    }),
    signal: stop.signal,
  })
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' })
  const sent = line.line.sent
  expect(sent).toBeLessThan(sizeBytes)
  if (state === undefined) throw new Error('it was begun')
  // As if read from a file.
  const kept: ResumableState = JSON.parse(JSON.stringify(state))
  const { cid } = await uploadFile(client, path, { resumable: createResumable({ state: kept }) })
  expect(line.line.sent).toBeLessThan(sizeBytes + maxLost)
  expect(cid).toBe((await uploadFile(client, path)).cid)
  // Repeated: it exists, and nothing is sent.
  const before = line.line.sent
  expect((await uploadFile(client, path, { resumable: createResumable({ state: kept }) })).cid).toBe(cid)
  expect(line.line.sent).toBe(before)
})

test('finishes an upload that an earlier version started as a multipart body in that form', async () => {
  const path = join(folder, 'earlier.bin')
  const bytes = randomBytes(9 * MIB)
  await writeFile(path, bytes)
  const boundary = 'earlier'
  const type = 'application/octet-stream'
  const body = Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="earlier.bin"\r\nContent-Type: ${type}\r\n\r\n`,
    ),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const { api } = network.profile
  const headers = { authorization: `Bearer ${apiKey}`, 'tus-resumable': '1.0.0' }
  const kind = Buffer.from(`multipart/form-data; boundary=${boundary}`).toString('base64')
  const started = await fetch(`${api}/api/uploads`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(body.length), 'upload-metadata': `body-type ${kind}` },
  })
  const id = started.headers.get('location')?.split('/').at(-1) ?? ''
  await fetch(`${api}/api/uploads/${id}`, {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: body.subarray(0, 5 * MIB),
  })
  const client = clientOver(line.line.url)
  const state: ResumableState = { id, boundary, sizeBytes: body.length, cids: [] }
  const { cid } = await uploadFile(client, path, { resumable: createResumable({ state }) })
  expect(line.line.sent).toBe(body.length - 5 * MIB)
  expect(Buffer.from(await downloadBytes(client, cid)).equals(bytes)).toBe(true)

  // The body of an encrypted upload, as browsers store it, is compared with the CIDs from before.
  const resume = (cids: string[], stored: Uint8Array<ArrayBuffer>) =>
    resumeUpload(client, { ...state, cids }, new Blob([stored]))
  expect(await resume([cid], new Uint8Array(body))).toEqual([cid])
  const { cid: other } = await uploadText(client, 'other')
  await expect(resume([cid, other], new Uint8Array(body))).rejects.toMatchObject({ code: 'CID_MISMATCH' })
  await expect(resume([cid], new Uint8Array(body.subarray(1)))).rejects.toMatchObject({ code: 'FILE_CHANGED' })
})

test('a folder resumes like a file, and an abandoned one starts over', async () => {
  const root = join(folder, 'photos')
  await mkdir(join(root, 'deep'), { recursive: true })
  for (const name of ['a.bin', 'deep/b.bin', 'deep/c.bin']) await writeFile(join(root, name), randomBytes(5 * MIB))
  const client = clientOver(line.line.url)
  line.line.breakAfter = 9 * MIB
  let state: ResumableState | undefined
  const options = {
    onState: (next: ResumableState) => {
      state = next
    },
  }
  const { cid } = await uploadFolder(client, root, { resumable: createResumable(options) })
  expect(line.line.breaks).toBe(1)
  expect(cid).toBe((await uploadFolder(client, root)).cid)
  if (state === undefined) throw new Error('it was begun')
  const { id } = state
  await cancelUpload(client, id)
  await cancelUpload(client, id)
  const again = await uploadFolder(client, root, { resumable: createResumable({ ...options, state }) })
  expect(again.cid).toBe(cid)
  expect(state.id).not.toBe(id)
})

test('rejects other files of the same size before a byte is sent, and stores nothing', async () => {
  const root = join(folder, 'mixed')
  const paths = [join(root, 'a.bin'), join(root, 'b.bin')] as const
  await mkdir(root)
  const time = new Date('2026-01-02T03:04:05Z')
  const write = async (path: string) => {
    await writeFile(path, randomBytes(sizeBytes / 2))
    await utimes(path, time, time)
  }
  for (const path of paths) await write(path)
  const client = clientOver(line.line.url)
  const begin = async (upload: typeof uploadFile | typeof uploadFolder, path: string): Promise<ResumableState> => {
    let state: ResumableState | undefined
    const stop = new AbortController()
    line.line.sent = 0
    line.line.breakAfter = sizeBytes / 4
    line.line.onBreak = () => stop.abort()
    const resumable = createResumable({
      onState: (next) => {
        state = JSON.parse(JSON.stringify(next))
      },
    })
    await expect(upload(client, path, { resumable, signal: stop.signal })).rejects.toMatchObject({ code: 'ABORTED' })
    if (state === undefined) throw new Error('it was begun')
    line.line.sent = 0
    return state
  }
  const changed = { code: 'FILE_CHANGED', message: 'The files differ from those the upload started with' }

  // Another file with the same time.
  const file = await begin(uploadFile, paths[0])
  await write(paths[0])
  await expect(uploadFile(client, paths[0], { resumable: createResumable({ state: file }) })).rejects.toMatchObject(
    changed,
  )

  // A file of a folder that was changed after its start.
  const all = await begin(uploadFolder, root)
  await utimes(paths[1], time, new Date(time.getTime() + 1000))
  await expect(uploadFolder(client, root, { resumable: createResumable({ state: all }) })).rejects.toMatchObject(
    changed,
  )

  expect(line.line.sent).toBe(0)
  for (const { id } of [file, all]) expect(await getUpload(client, id)).toMatchObject({ state: 'receiving' })
})

test('rejects a source without a length', async () => {
  const stream = async function* () {
    yield randomBytes(10)
  }
  const sending = uploadStream(clientOver(network.profile.api), stream(), { resumable: createResumable() })
  await expect(sending).rejects.toMatchObject({ code: 'NOT_SUPPORTED' })
})

test('the published tus client uploads and resumes, unchanged', async () => {
  const bytes = randomBytes(sizeBytes)
  const common = {
    endpoint: `${line.line.url}/api/uploads`,
    headers: { authorization: `Bearer ${apiKey}` },
    metadata: { filename: 'tus.bin', filetype: 'application/x-tus' },
    retryDelays: [0, 1000, 3000, 5000],
  }
  let url = ''
  await new Promise<void>((stopped, failed) => {
    const upload: Upload = new Upload(bytes, {
      ...common,
      chunkSize: 8 * MIB,
      onError: failed,
      onSuccess: () => failed(new Error('it was to be stopped')),
      onUploadUrlAvailable: () => {
        url = upload.url ?? ''
      },
      onChunkComplete: (_size, accepted) => {
        if (accepted < 8 * MIB) return
        upload.abort().then(stopped, failed)
      },
    })
    upload.start()
  })
  const sent = line.line.sent
  expect(sent).toBeLessThan(sizeBytes)
  const status = await new Promise<number | undefined>((done, failed) => {
    new Upload(bytes, {
      ...common,
      uploadUrl: url,
      onError: failed,
      onSuccess: ({ lastResponse }) => done(lastResponse.getStatus()),
    }).start()
  })
  expect(status).toBe(204)
  expect(line.line.sent).toBeLessThan(sizeBytes + maxLost)
  const id = url.split('/').at(-1)
  const answer = await fetch(`${network.profile.api}/api/uploads/${id}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  const { state, result } = (await answer.json()) as { state: string; result: { Hash: string }[] }
  expect(state).toBe('stored')
  const client = clientOver(network.profile.api)
  expect(Buffer.from(await downloadBytes(client, result[0]?.Hash ?? '')).equals(bytes)).toBe(true)
})

test('the published tus client receives the reason of an error', async () => {
  const failed = await new Promise<string>((done) => {
    new Upload(randomBytes(10), {
      endpoint: `${network.profile.api}/api/uploads`,
      headers: { authorization: 'Bearer wrong' },
      retryDelays: [],
      onError: (error) => done(String(error)),
      onSuccess: () => done('stored'),
    }).start()
  })
  expect(failed).toContain('401')
})
