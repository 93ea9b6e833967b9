import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type S3Account, verifySignature } from './sigv4.fixture.ts'

/** Metadata of an object or a multipart upload. */
type Head = { key: string; sizeBytes: number; tag: string; at: number; headers: Record<string, string> }
type Stored = Head & { file: string }

/** A server for the subset of S3 that the store uses, over a folder, with signatures verified. */
export type S3Server = AsyncDisposable & {
  readonly url: string
  readonly bucket: string
  readonly account: S3Account
  /** Requests so far: method, kind, part number and key. */
  readonly requests: string[]
  /** Deviations of other S3 implementations. */
  readonly manners: { ignoresConditions: 'never' | 'put' | 'complete'; pageSize: number; isBucketGone: boolean }
  /** Objects whose key starts with `prefix`, by key. */
  objects(prefix?: string): Map<string, Head>
  /** Open multipart uploads. */
  uploads(): string[]
  /** Removes every object. */
  empty(): void
  /** Ages all objects and multipart uploads whose key starts with `prefix`. */
  age(prefix: string, seconds: number): void
}

class S3Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

const minPartBytes = 5 * 1024 * 1024
const keptHeaders = ['x-amz-meta-cairn-writer', 'x-amz-server-side-encryption', 'x-amz-storage-class'] as const

/** Starts the server on a free port, over a folder of its own. */
export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-s3-'))
  const account = { accessKeyId: 'TESTKEY', secretAccessKey: 'test-secret-of-nobody', region: 'eu-test-1' }
  const bucket = 'packs'
  const manners: S3Server['manners'] = { ignoresConditions: 'never', pageSize: 1000, isBucketGone: false }
  const requests: string[] = []
  const objects = new Map<string, Stored>()
  const uploads = new Map<string, Head & { parts: Map<number, Stored> }>()

  const keep = (key: string, bytes: readonly Uint8Array[], tag: string, headers: Record<string, string>): Stored => {
    const file = join(folder, randomUUID())
    writeFileSync(file, Buffer.concat(bytes))
    return { key, file, tag, headers, at: Date.now(), sizeBytes: bytes.reduce((sum, { length }) => sum + length, 0) }
  }
  const drop = (stored: Stored | undefined): void => {
    if (stored !== undefined) rmSync(stored.file)
  }
  const show = (stored: Stored): void => {
    drop(objects.get(stored.key))
    objects.set(stored.key, stored)
  }
  const requireNew = (headers: IncomingHttpHeaders, key: string, ignores: boolean): void => {
    if (headers['if-none-match'] === '*' && objects.has(key) && !ignores) throw new S3Refusal(412, 'PreconditionFailed')
  }
  const requireUpload = (id: string, key: string) => {
    const upload = uploads.get(id)
    if (upload?.key !== key) throw new S3Refusal(404, 'NoSuchUpload')
    return upload
  }
  const endUpload = (id: string): void => {
    for (const part of uploads.get(id)?.parts.values() ?? []) drop(part)
    uploads.delete(id)
  }

  const putObject = (key: string, headers: IncomingHttpHeaders, body: Buffer): Answer => {
    requireNew(headers, key, manners.ignoresConditions === 'put')
    const tag = requireMd5(headers, body)
    show(keep(key, [body], tag, pick(headers)))
    return { headers: { etag: tag } }
  }
  const putPart = (key: string, query: URLSearchParams, headers: IncomingHttpHeaders, body: Buffer): Answer => {
    const { parts } = requireUpload(query.get('uploadId') ?? '', key)
    const number = Number(query.get('partNumber'))
    if (!(number >= 1 && number <= 10_000)) throw new S3Refusal(400, 'InvalidArgument')
    const tag = requireMd5(headers, body)
    drop(parts.get(number))
    parts.set(number, keep(key, [body], tag, {}))
    return { headers: { etag: tag } }
  }
  const complete = (key: string, id: string, headers: IncomingHttpHeaders, body: Buffer): Answer => {
    const upload = requireUpload(id, key)
    requireNew(headers, key, manners.ignoresConditions === 'complete')
    const asked = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      tag: (/<ETag>(.*?)</.exec(part)?.[1] ?? '').replaceAll('&quot;', '"'),
    }))
    const parts = asked.map(({ number, tag }, at) => {
      if (at > 0 && number <= (asked[at - 1]?.number ?? 0)) throw new S3Refusal(400, 'InvalidPartOrder')
      const part = upload.parts.get(number)
      if (part === undefined || part.tag !== tag) throw new S3Refusal(400, 'InvalidPart')
      if (at < asked.length - 1 && part.sizeBytes < minPartBytes) throw new S3Refusal(400, 'EntityTooSmall')
      return part
    })
    if (parts.length === 0) throw new S3Refusal(400, 'MalformedXML')
    const tag = `"${createHash('md5')
      .update(parts.map(({ tag }) => tag).join())
      .digest('hex')}-${parts.length}"`
    show(
      keep(
        key,
        parts.map(({ file }) => readFileSync(file)),
        tag,
        upload.headers,
      ),
    )
    endUpload(id)
    return { xml: `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>` }
  }
  const start = (key: string, headers: IncomingHttpHeaders): Answer => {
    const id = randomUUID()
    uploads.set(id, { key, sizeBytes: 0, tag: '', at: Date.now(), headers: pick(headers), parts: new Map() })
    return { xml: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>` }
  }
  const get = (key: string, { range = '' }: IncomingHttpHeaders): Answer => {
    const found = objects.get(key)
    if (found === undefined) throw new S3Refusal(404, 'NoSuchKey')
    const headers = { ...found.headers, etag: found.tag, 'last-modified': new Date(found.at).toUTCString() }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
    if (from === undefined || to === undefined) return { headers, file: found, from: 0, end: found.sizeBytes }
    if (Number(from) >= found.sizeBytes) throw new S3Refusal(416, 'InvalidRange')
    const end = Math.min(Number(to) + 1, found.sizeBytes)
    const contentRange = `bytes ${from}-${end - 1}/${found.sizeBytes}`
    return { status: 206, headers: { ...headers, 'content-range': contentRange }, file: found, from: Number(from), end }
  }
  const list = (query: URLSearchParams): Answer => {
    const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
    const prefix = query.get('prefix') ?? ''
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
    const page = keys.slice(0, manners.pageSize)
    const rows = page.map((key) => {
      const at = new Date(objects.get(key)?.at ?? 0).toISOString()
      return `<Contents><Key>${key}</Key><LastModified>${at}</LastModified><Size>0</Size></Contents>`
    })
    const next = keys.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    return {
      xml: `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${rows.join('')}${next}</ListBucketResult>`,
    }
  }
  const listUploads = (query: URLSearchParams): Answer => {
    const marker = `${query.get('key-marker') ?? ''} ${query.get('upload-id-marker') ?? ''}`
    const all = [...uploads].map(([id, { key, at }]) => ({ id, key, at, order: `${key} ${id}` }))
    const rest = all.filter(({ key, order }) => key.startsWith(query.get('prefix') ?? '') && order > marker)
    const sorted = rest.toSorted((a, b) => (a.order < b.order ? -1 : 1))
    const page = sorted.slice(0, manners.pageSize)
    const rows = page.map(
      ({ id, key, at }) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(at).toISOString()}</Initiated></Upload>`,
    )
    const last = page.at(-1)
    const next =
      sorted.length > page.length && last !== undefined
        ? `<NextKeyMarker>${last.key}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
        : ''
    const isTruncated = `<IsTruncated>${next !== ''}</IsTruncated>`
    return { xml: `<ListMultipartUploadsResult>${isTruncated}${next}${rows.join('')}</ListMultipartUploadsResult>` }
  }

  const answer = (request: IncomingMessage, body: Buffer): Answer => {
    const { method = '', url: target = '', headers } = request
    const refusal = verifySignature({ method, target, headers, body }, account)
    if (refusal !== undefined) throw new S3Refusal(403, refusal)
    const { pathname, searchParams: query } = new URL(target, 'http://s3')
    const [, first, key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? []
    const uploadId = query.get('uploadId') ?? ''
    const kind = query.has('uploads') ? 'uploads' : query.has('partNumber') ? 'part' : uploadId === '' ? '' : 'upload'
    const isList = kind === '' && key === ''
    requests.push([method, isList ? 'list' : kind, query.get('partNumber'), key].filter(Boolean).join(' '))
    if (first !== bucket || manners.isBucketGone) throw new S3Refusal(404, 'NoSuchBucket')
    switch (`${method} ${kind}`) {
      case 'PUT ':
        return putObject(key, headers, body)
      case 'PUT part':
        return putPart(key, query, headers, body)
      case 'POST uploads':
        return start(key, headers)
      case 'POST upload':
        return complete(key, uploadId, headers, body)
      case 'DELETE upload':
        requireUpload(uploadId, key)
        endUpload(uploadId)
        return { status: 204 }
      case 'DELETE ':
        drop(objects.get(key))
        objects.delete(key)
        return { status: 204 }
      case 'GET uploads':
        return listUploads(query)
      case 'GET ':
      case 'HEAD ':
        return key === '' ? list(query) : get(key, headers)
      default:
        throw new S3Refusal(501, 'NotImplemented')
    }
  }

  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    try {
      await send(request, response, answer(request, body))
    } catch (error) {
      const { status, code } = error instanceof S3Refusal ? error : new S3Refusal(500, 'InternalError')
      const xml = `<Error><Code>${code}</Code><Message>${code}</Message></Error>`
      await send(request, response, { status, xml })
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    bucket,
    account,
    requests,
    manners,
    objects: (prefix = '') => new Map([...objects].filter(([key]) => key.startsWith(prefix))),
    uploads: () => [...uploads.values()].map(({ key }) => key),
    empty() {
      for (const each of objects.values()) drop(each)
      objects.clear()
    },
    age(prefix, seconds) {
      for (const each of [...objects.values(), ...uploads.values()]) {
        if (each.key.startsWith(prefix)) each.at -= seconds * 1000
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await rm(folder, { recursive: true })
    },
  }
}

type Answer = {
  status?: number
  headers?: Record<string, string>
  xml?: string
  file?: Stored
  from?: number
  end?: number
}

async function send(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const { status = 200, headers = {}, xml, file, from = 0, end = 0 } = answer
  let body = Buffer.from(xml === undefined ? '' : `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`)
  if (file !== undefined) {
    body = Buffer.alloc(end - from)
    const handle = await open(file.file)
    await handle.read(body, 0, body.length, from)
    await handle.close()
  }
  const type = xml === undefined ? 'binary/octet-stream' : 'application/xml'
  response.writeHead(status, { 'content-type': type, ...headers, 'content-length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}

function requireMd5(headers: IncomingHttpHeaders, body: Buffer): string {
  const digest = createHash('md5').update(body).digest()
  if (headers['content-md5'] !== digest.toString('base64')) throw new S3Refusal(400, 'BadDigest')
  return `"${digest.toString('hex')}"`
}

function pick(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of keptHeaders) {
    const value = headers[name]
    if (typeof value === 'string') kept[name] = value
  }
  return kept
}
