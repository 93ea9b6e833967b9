import { request as httpRequest } from 'node:http'
import { allCalls, type GatewayLink } from '@cairn/protocol'
import { decodeNode } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { expect } from 'vitest'
import { bearer, callWithKey, type TestStorage } from '../start-test-storage.fixture.ts'

/** What a request returns. */
export type Got = { status: number; headers: Record<string, string | string[] | undefined>; body: Buffer }

/** A test account with its calls. */
export type PrivateAccount = Awaited<ReturnType<typeof openAccount>>

/** Opens an account that uploads files, privately or not. */
export async function openAccount(storage: TestStorage) {
  const key = await storage.createKey()
  const call = callWithKey(storage, key)
  const send = async (files: Record<string, string | Uint8Array>, headers: Record<string, string> = {}, query = '') => {
    const form = new FormData()
    for (const [name, bytes] of Object.entries(files)) form.append('file', new Blob([bytes as BlobPart]), name)
    return storage.call(`/api/v0/add${query}`, {
      method: 'POST',
      headers: { ...bearer(key).headers, ...headers },
      body: form,
    })
  }
  const upload = async (files: Record<string, string | Uint8Array>, headers: Record<string, string> = {}) => {
    const stored = await send(files, headers)
    expect(stored.status, stored.body).toBe(200)
    return (stored.json as { Hash: string }).Hash
  }
  const link = async (cid: string, more: { path?: string; expiresInSeconds?: number } = {}) => {
    const made = await call('/api/gateway-links', 'POST', { cid, ...more })
    expect(made.status, made.body).toBe(200)
    return made.json as GatewayLink
  }
  const sendCar = (car: Uint8Array, headers: Record<string, string> = {}) => {
    const form = new FormData()
    form.append('file', new Blob([car as BlobPart]), 'given.car')
    return storage.call('/api/v0/dag/import', {
      method: 'POST',
      headers: { ...bearer(key).headers, ...headers },
      body: form,
    })
  }
  return {
    key,
    call,
    send,
    sendCar,
    upload,
    uploadPrivate: (files: Record<string, string | Uint8Array>) => upload(files, { private: 'true' }),
    link,
  }
}

/** Requests a path of the gateway under any host. */
export function request(
  storage: TestStorage,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Got> {
  const { hostname, port } = new URL(storage.gatewayUrl)
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, method, headers }, async (response) => {
      const pieces = await Array.fromAsync(response as AsyncIterable<Buffer>)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) })
    })
    sent.on('error', reject).end()
  })
}

/** Requests the URL of a link, as it is. */
export function open(storage: TestStorage, url: string, options?: Parameters<typeof request>[2]): Promise<Got> {
  return request(storage, url.slice(new URL(url).origin.length), options)
}

/** A way to request content by its CID, with its name for the message of a failing test. */
export type Door = { name: string; ask(cid: string): Promise<Got> }

const names = ['cid', 'arg']
/** Calls whose argument is the label of a name. */
const ofNames: readonly string[] = ['kuboKeyGen', 'kuboKeyRename', 'kuboKeyRm']

/** Every call that takes a CID in its path or query, and every form in which the gateway answers. */
export function findDoors(storage: TestStorage, keyOfAnother: string): Door[] {
  const doors: Door[] = []
  for (const { id, host, method, path, auth, query } of allCalls) {
    const parameter = names.find((name) => hasEntry(query, name))
    const inPath = path.includes('{cid}') && !path.includes('{node}')
    if (host !== 'api' || ofNames.includes(id) || (parameter === undefined && !inPath) || method === 'PUT') continue
    const ask = async (cid: string): Promise<Got> => {
      const target = path.replace('{cid}', cid).replace('{requestid}', 'none')
      const search = parameter === undefined ? '' : `?${parameter}=${cid}${id === 'kuboPinUpdate' ? `&arg=${cid}` : ''}`
      const answer = await fetch(`${storage.apiUrl}${target}${search}`, {
        method,
        ...(auth === 'none' ? {} : bearer(keyOfAnother)),
      })
      const body = Buffer.from(await answer.arrayBuffer())
      return { status: answer.status, headers: Object.fromEntries(answer.headers), body }
    }
    doors.push({ name: `${method} ${path}`, ask })
  }
  const gateway = (name: string, options: Parameters<typeof request>[2] & { search?: string; at?: string } = {}) => {
    const { search = '', at = '/ipfs/', ...rest } = options
    doors.push({ name, ask: (cid) => request(storage, `${at}${cid}${search}`, rest) })
  }
  gateway('gateway')
  gateway('gateway, HEAD', { method: 'HEAD' })
  gateway('gateway, range', { headers: { range: 'bytes=0-3' } })
  gateway('gateway, cat', { at: '/api/v0/cat/', method: 'POST' })
  gateway('gateway, only if cached', { headers: { 'cache-control': 'only-if-cached' } })
  for (const format of ['raw', 'car', 'tar', 'dag-json', 'dag-cbor', 'json', 'cbor'])
    gateway(`gateway, ${format}`, { search: `?format=${format}` })
  gateway('gateway, CAR of a block', { search: '?format=car&dag-scope=block' })
  gateway('gateway, a picture', { search: '?w=10' })
  gateway('gateway, a path', { search: '/docs/a.txt' })
  gateway('gateway, a folder', { search: '/' })
  doors.push(
    {
      name: 'gateway, known tags',
      ask: (cid) =>
        request(storage, `/ipfs/${cid}`, {
          headers: { 'if-none-match': `"${cid}", W/"${cid}.x-tar", "${cid}.raw", "DirIndex-x_CID-${cid}"` },
        }),
    },
    {
      name: 'gateway, any tag',
      ask: (cid) => request(storage, `/ipfs/${cid}`, { headers: { 'if-none-match': '*' } }),
    },
    {
      name: 'gateway, subdomain',
      ask: (cid) => request(storage, '/', { headers: { host: `${CID.parse(cid).toV1()}.ipfs.localhost` } }),
    },
    {
      name: 'gateway, subdomain with a path',
      ask: (cid) => request(storage, '/docs/a.txt', { headers: { host: `${CID.parse(cid).toV1()}.ipfs.localhost` } }),
    },
    {
      name: 'gateway, with the key of another account',
      ask: (cid) =>
        request(storage, `/ipfs/${cid}`, { headers: bearer(keyOfAnother).headers as Record<string, string> }),
    },
  )
  return doors
}

function hasEntry(schema: unknown, name: string): boolean {
  return (
    typeof schema === 'object' && schema !== null && 'entries' in schema && Object.hasOwn(Object(schema.entries), name)
  )
}

/** Status, code and text of a response, without the requested CID. */
function withoutCid({ status, headers, body }: Got, cid: string) {
  const text = body
    .toString('latin1')
    .replaceAll(cid, '{cid}')
    .replaceAll(`${CID.parse(cid).toV1()}`, '{cid}')
  const { 'x-request-id': _id, date: _date, etag: _etag, location: _location, ...rest } = headers
  return {
    status,
    code: headers['x-cairn-code'],
    cache: rest['cache-control'],
    text: text.replace(/"requestId":"[^"]*"/g, ''),
  }
}

/** Expects that no endpoint distinguishes these CIDs from one that is not stored. */
export async function expectHidden(doors: readonly Door[], cids: readonly string[], absent: (cid: string) => string) {
  for (const cid of cids) {
    const other = absent(cid)
    for (const { name, ask } of doors) {
      expect(withoutCid(await ask(cid), cid), `${name} of ${cid}`).toEqual(withoutCid(await ask(other), other))
    }
  }
}

/** Returns a CID of the same codec and hash function that is stored nowhere. */
export function absentLike(cid: string): string {
  const known = CID.parse(cid)
  const bytes = known.bytes.slice()
  const last = bytes.length - 1
  bytes[last] = (bytes[last] ?? 0) ^ 0xff
  return `${CID.decode(bytes)}`
}

/** CIDs of every node of a DAG, as its owner reads them. */
export async function cidsOf(storage: TestStorage, uploadId: string, root: string): Promise<string[]> {
  const source = storage.context.packs.openPrivate(uploadId)
  const found: string[] = []
  const walk = async (cid: CID): Promise<void> => {
    found.push(`${cid}`)
    for (const link of decodeNode(cid, await source.get(cid)).links) await walk(link.cid)
  }
  await walk(CID.parse(root))
  return found
}
