import { request } from 'node:http'
import { connect } from 'node:net'
import { GIB, MIB } from '@cairn/protocol'
import { encodeCarFrame, encodeCarHeader } from '@cairn/unixfs'
import { create as createKuboClient } from 'kubo-rpc-client'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

let network: TestNetwork
let apiKey: string

beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_FREE_BYTES: String(256 * MIB) })
  apiKey = (await createTestKey(network)).apiKey
})
afterAll(() => network?.[Symbol.asyncDispose]())

const hello = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

function form(files: [name: string | undefined, content: BlobPart][]): FormData {
  const data = new FormData()
  for (const [name, content] of files) {
    if (name === undefined) data.append('file', new Blob([content]))
    else data.append('file', new Blob([content]), name)
  }
  return data
}

function post(path: string, body: BodyInit | undefined, headers: Record<string, string> = {}): Promise<Response> {
  const init: RequestInit = { method: 'POST', headers: { authorization: `Bearer ${apiKey}`, ...headers } }
  if (body !== undefined) init.body = body
  return fetch(`${network.profile.upload}${path}`, init)
}

const add = (files: [string | undefined, BlobPart][], query = '', headers: Record<string, string> = {}) =>
  post(`/api/v0/add${query}`, form(files), headers)

async function read(path: string): Promise<string> {
  const answer = await fetch(`${network.profile.gateway}/ipfs/${path}`)
  expect([path, answer.status]).toEqual([path, 200])
  return answer.text()
}

/** Sends an endless file like the published Node client, and reads the response meanwhile. */
function sendUntilAnswered(length: number | undefined): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sending = request(`${network.profile.upload}/api/v0/add`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'multipart/form-data; boundary=b',
        ...(length === undefined ? {} : { 'content-length': length }),
      },
    })
    const piece = Buffer.alloc(4 * MIB)
    const send = () => {
      while (!sending.destroyed && sending.write(piece));
    }
    sending.on('drain', send)
    let answered = false
    sending.on('response', (answer) => {
      answered = true
      let body = ''
      answer.on('data', (text) => {
        body += text
      })
      answer.on('end', () => {
        sending.destroy()
        resolve({ status: answer.statusCode, body })
      })
    })
    sending.on('error', (error) => {
      if (!answered) reject(error)
    })
    sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n')
    send()
  })
}

/** Sends bytes unchanged and reads the complete response. */
function sendRaw(bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(network.profile.upload)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let answer = ''
    socket.on('data', (piece) => {
      answer += piece.toString()
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })
}

describe('POST /api/v0/add', () => {
  it('returns one object for a file, readable at once', async () => {
    const answer = await add([['hello.txt', 'hello world']], '?wrap-with-directory=false&cid-version=1')
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ Name: 'hello.txt', Hash: hello, Size: '11' })
    expect(await read(hello)).toBe('hello world')
  })

  it('returns the requested CID version, 1 by default', async () => {
    const hash = async (query: string) =>
      ((await (await add([['h', 'hello world']], query)).json()) as { Hash: string }).Hash
    expect(await hash('')).toBe(hello)
    expect(await hash('?cid-version=0')).toBe('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')
    expect(await hash('?cid-version=1&raw-leaves=false')).toBe(
      'bafybeihykld7uyxzogax6vgyvag42y7464eywpf55gxi5qpoisibh3c5wa',
    )
    expect(await hash('?profile=unixfs-v1-2025')).toBe(hello)
    const refused = await add([['h', 'x']], '?cid-version=3')
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: 'INVALID_CID_VERSION', error: 'cid-version must be 0 or 1' },
    ])
  })

  it('returns the root of a folder, whether or not a folder was named', async () => {
    const files: [string, string][] = [
      ['few/a', 'A'],
      ['few/sub/b', 'B'],
    ]
    const named = (await (await add(files, '?wrap-with-directory=false')).json()) as { Name: string; Hash: string }
    expect(named.Name).toBe('few')
    expect(await read(`${named.Hash}/sub/b`)).toBe('B')
    const wrapped = (await (
      await add(
        [
          ['a', 'A'],
          ['b', 'B'],
        ],
        '?wrap-with-directory=true',
      )
    ).json()) as { Hash: string }
    expect(await read(`${wrapped.Hash}/b`)).toBe('B')
    const both = (await (
      await add([
        ['a', 'A'],
        ['b', 'B'],
      ])
    ).json()) as { Hash: string }
    expect(both.Hash).toBe(wrapped.Hash)
  })

  it('returns a complete array when the content is encrypted', async () => {
    const answer = await add(
      [
        ['a', 'one'],
        ['b', 'two'],
      ],
      '?wrap-with-directory=false',
      { encryption: 'true' },
    )
    const text = await answer.text()
    expect(text.endsWith(']')).toBe(true)
    expect(JSON.parse(text).map(({ Name }: { Name: string }) => Name)).toEqual(['a', 'b'])
    const list = await fetch(`${network.profile.api}/api/user/files_uploaded?lastKey=null`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const { fileList } = (await list.json()) as { fileList: { fileName: string; encryption: boolean }[] }
    expect(fileList.slice(0, 2)).toMatchObject([{ encryption: true }, { encryption: true }])
  })

  it('accepts names with quotes and backslashes as `fetch` sends them', async () => {
    for (const name of ['end\\', 'a\\b', 'a"b', 'end"', 'both\\"'])
      expect(await (await add([[name, 'hello world']])).json()).toMatchObject({ Name: name, Hash: hello })
  })

  it('names an unnamed blob by its CID, and accepts empty files', async () => {
    expect(await (await add([[undefined, 'hello world']])).json()).toMatchObject({ Name: hello, Hash: hello })
    expect(await (await add([['empty', '']])).json()).toMatchObject({ Name: 'empty', Size: '0' })
  })

  it('rejects invalid requests before anything is stored', async () => {
    const cases: [Promise<Response>, number, string][] = [
      [
        add([
          ['a', '1'],
          ['a', '2'],
        ]),
        400,
        'DUPLICATE_NAME',
      ],
      [add([['../a', '1']]), 400, 'INVALID_PATH'],
      [add([[`${'x'.repeat(2000)}`, '1']]), 400, 'INVALID_PATH'],
      [add([[`${'x'.repeat(20_000)}`, '1']]), 431, 'HEADER_TOO_LARGE'],
      [post('/api/v0/add', form([])), 400, 'NO_FILE'],
      [post('/api/v0/add', '{}', { 'content-type': 'application/json' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [post('/api/v0/add', 'x', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [post('/api/v0/add', 'x', { 'content-type': 'multipart/form-data' }), 400, 'INVALID_MULTIPART'],
      [
        post('/api/v0/add', '--b\r\n\r\nx', { 'content-type': 'multipart/form-data; boundary=b' }),
        400,
        'INVALID_MULTIPART',
      ],
      [add([['a', '1']], '', { authorization: 'Bearer nobody' }), 401, 'UNAUTHENTICATED'],
      [add([['a', Buffer.alloc(3 * MIB)]], '', { authorization: '' }), 401, 'UNAUTHENTICATED'],
    ]
    for (const [promise, status, code] of cases) {
      const answer = await promise
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([status, code])
    }
    const duplicate = await (
      await add([
        ['d/a', '1'],
        ['d/a', '2'],
      ])
    ).json()
    expect(duplicate).toMatchObject({ error: 'Duplicate file name found: d/a' })
  })

  it('reads bodies without a length, in tiny chunks', async () => {
    const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="crumbs"\r\n\r\nhello world\r\n--b--\r\n`
    const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('')
    const answer = await sendRaw(
      `POST /api/v0/add HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}0\r\n\r\n`,
    )
    expect(answer).toContain(hello)
  })

  it('reports an exceeded quota to a client that is still sending', async () => {
    for (const length of [2 * GIB, undefined]) {
      const { status, body } = await sendUntilAnswered(length)
      expect([status, JSON.parse(body)]).toMatchObject([
        402,
        { code: 'QUOTA_EXCEEDED', details: { missingBytes: expect.any(Number) } },
      ])
    }
    expect(await reservedBytes()).toBe(0)
  })

  it('releases space and temporary files when the client disconnects', async () => {
    const before = await usage()
    for (let percent = 5; percent < 100; percent += 30) {
      const stop = new AbortController()
      let sent = 0
      const total = 24 * MIB
      const head = Buffer.from('--b\r\nContent-Disposition: form-data; filename="x"\r\n\r\n')
      const body = new ReadableStream({
        pull(controller) {
          if (sent === 0) controller.enqueue(head)
          sent += MIB
          if (sent > (total * percent) / 100) stop.abort()
          else controller.enqueue(new Uint8Array(MIB).fill(percent))
        },
      })
      const sending = fetch(`${network.profile.upload}/api/v0/add`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'multipart/form-data; boundary=b' },
        body,
        signal: stop.signal,
        duplex: 'half',
      } as RequestInit)
      await expect(sending).rejects.toThrow()
    }
    await expect.poll(reservedBytes).toBe(0)
    expect(await usage()).toBe(before)
  })
})

async function usage(): Promise<number> {
  const answer = await fetch(`${network.profile.api}/api/user/user_data_usage`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  return ((await answer.json()) as { dataUsed: number }).dataUsed
}

async function reservedBytes(): Promise<number> {
  const rows = await network.storage.context.db.read.selectFrom('account').select('reserved_bytes').execute()
  return rows.reduce((sum, row) => sum + row.reserved_bytes, 0)
}

describe('POST /api/v0/dag/import', () => {
  it('keeps the root of a CAR', async () => {
    const cid = CID.parse(hello)
    const bytes = Buffer.from('hello world')
    const car = Buffer.concat([encodeCarHeader([cid]), encodeCarFrame(cid, bytes.length), bytes])
    const answer = await post('/api/v0/dag/import', form([['hello.car', car]]))
    expect(await answer.json()).toEqual({ Name: 'hello', Hash: hello, Size: '11' })
    const broken = await post('/api/v0/dag/import', form([['x.car', car.subarray(0, car.length - 1)]]))
    expect([broken.status, await broken.json()]).toMatchObject([400, { code: 'INVALID_CAR' }])
  })
})

describe('clients of Kubo', () => {
  it('add, read and import in their own way', async () => {
    const client = createKuboClient({
      url: `${network.profile.upload}/api/v0`,
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const { cid, path } = await client.add({ path: 'ü 100%+.txt', content: 'hello world' })
    expect([cid.toString(), path]).toEqual(['Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD', 'ü 100%+.txt'])
    const pieces: Uint8Array[] = []
    for await (const piece of client.cat(cid, { offset: 6 })) pieces.push(piece)
    expect(Buffer.concat(pieces).toString()).toBe('world')
    const files = [
      { path: 'd/a', content: 'A' },
      { path: 'd/e/b', content: 'B' },
      { path: 'c', content: 'C' },
    ]
    const added = await Array.fromAsync(client.addAll(files, { cidVersion: 1, wrapWithDirectory: true }))
    expect(added.map((entry) => entry.path)).toEqual(['d/a', 'd/e/b', 'c', 'd/e', 'd', ''])
    const car = Buffer.concat([
      encodeCarHeader([CID.parse(hello)]),
      encodeCarFrame(CID.parse(hello), 11),
      Buffer.from('hello world'),
    ])
    const imported = await Array.fromAsync(client.dag.import([car]))
    expect(imported[0]?.root.cid.toString()).toBe(hello)
    await expect(client.add('x', { cidVersion: 1, chunker: 'rabin' })).rejects.toThrow('chunker must be size-N')
    await expect(Array.fromAsync(client.cat('not-a-cid'))).rejects.toThrow('Invalid CID')
  })
})
