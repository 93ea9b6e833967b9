import { hash } from 'node:crypto'
import { CarReader } from '@ipld/car'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

const sha256Of = (text: string) => createDigest(0x12, hash('sha256', text, 'buffer'))

let storage: TestStorage
let key: string
beforeAll(async () => {
  storage = await startTestStorage()
  key = await storage.createKey()
})
afterAll(() => storage[Symbol.asyncDispose]())

type Sent = { path: string; field?: string; content?: string; isFolder?: boolean; isLink?: boolean }

/** Encodes a body as Go's client does: escaped names, and file metadata in the field's name. */
function goBody(parts: readonly Sent[]): { headers: Record<string, string>; body: string } {
  const boundary = 'fromgo'
  const body = parts.map(
    ({ path, field = 'file?mode=0644&mtime=1700000000', content = '', isFolder = false, isLink = false }) =>
      [
        `--${boundary}`,
        `Content-Disposition: form-data; name="${field}"; filename="${encodeURIComponent(path)}"`,
        `Content-Type: application/${isFolder ? 'x-directory' : isLink ? 'symlink' : 'octet-stream'}`,
        '',
        content,
        '',
      ].join('\r\n'),
  )
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${body.join('')}--${boundary}--\r\n`,
  }
}

type Answer = { status: number; headers: Headers; body: string; json: unknown }

/** Calls the API; `json` is the first line of the answer. */
async function send(path: string, init: RequestInit): Promise<Answer> {
  const answer = await fetch(`${storage.apiUrl}/api/v0/${path}`, { method: 'POST', ...init })
  const body = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: answer.status,
    headers: answer.headers,
    body,
    json: isJson ? JSON.parse(body.split('\n')[0] ?? '') : undefined,
  }
}

function post(path: string, options: { isAnonymous?: boolean; parts?: readonly Sent[] } = {}): Promise<Answer> {
  const { headers, body } = options.parts === undefined ? { headers: {}, body: '' } : goBody(options.parts)
  const own = options.isAnonymous ? {} : bearer(key).headers
  return send(path, { headers: { ...own, ...headers }, body })
}

async function add(parts: readonly Sent[], options = ''): Promise<string> {
  const { body } = await post(`add?stream-channels=true${options}`, { parts })
  const last: { Hash: string } = JSON.parse(body.trim().split('\n').at(-1) ?? '')
  return last.Hash
}

describe('errors', () => {
  /** Go's JSON takes `code` for `Code`. */
  const expectForGo = (answer: Answer, code: string, message: RegExp) => {
    expect(answer.status).toBeGreaterThanOrEqual(400)
    // Kubo's CLI shows one fixed text for a 404, regardless of the body.
    expect(answer.status).not.toBe(404)
    expect(answer.headers.get('x-cairn-code')).toBe(code)
    expect(answer.json).toMatchObject({ Message: expect.stringMatching(message), Code: 0, Type: 'error' })
    expect(Object.keys(JSON.parse(answer.body)).filter((name) => name.toLowerCase() === 'code')).toEqual(['Code'])
  }

  test('of unknown calls name the call', async () => {
    for (const call of ['files/ls', 'swarm/peers', 'pin/remote/add', 'block/rm', 'key/import', 'nonsense']) {
      expectForGo(await post(call), 'NOT_SUPPORTED', new RegExp(`does not support Kubo's call "${call}"`))
    }
    expectForGo(await post('files/write', { parts: [{ path: 'a' }] }), 'NOT_SUPPORTED', /files\/write/)
  })

  test('of reading, options and keys are readable by Go', async () => {
    expectForGo(await post('cat?arg=QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'), 'BLOCK_NOT_FOUND', /not stored/)
    expectForGo(await post('ls?arg=nothing'), 'INVALID_CID', /invalid path "nothing": Invalid CID/)
    expectForGo(await post('ls?arg=nothing&cid-base=base36'), 'INVALID_REQUEST', /the option "cid-base"/)
    expectForGo(await post('version?encoding=xml'), 'INVALID_REQUEST', /encoding=json/)
    expectForGo(await post('pin/ls', { isAnonymous: true }), 'UNAUTHENTICATED', /Authentication failed/)
    const parts = [{ path: 'a', content: 'x' }]
    expectForGo(
      await post('add?stream-channels=true', { isAnonymous: true, parts }),
      'UNAUTHENTICATED',
      /Authentication failed/,
    )
    for (const [option, message] of [
      ['max-hamt-fanoutt=16', /the option "max-hamt-fanoutt"/],
      ['mode=rw', /mode must be a number/],
      ['mode=0644&raw-leaves=true', /raw-leaves cannot be used with modes or times/],
      ['preserve-mode=true&profile=unixfs-v1-2025', /profile cannot be used with modes or times/],
      ['mtime-nsecs=5', /mtime-nsecs requires mtime/],
      ['mtime=1&mtime-nsecs=1000000000', /mtime-nsecs must be from 0 to/],
      ['trickle=true', /trickle is not supported/],
      ['max-hamt-fanout=100', /power of two/],
    ] as const) {
      expectForGo(await post(`add?stream-channels=true&${option}`, { parts }), 'INVALID_REQUEST', message)
    }
  })

  test('of published clients keep their form, and unknown options of theirs are still ignored', async () => {
    const parts = [{ path: 'a', content: 'x', field: 'file' }]
    const refused = await post('add', { isAnonymous: true, parts })
    expect(refused.status).toBe(401)
    expect(refused.json).toMatchObject({ error: 'Authentication failed', code: 'UNAUTHENTICATED' })
    expect((await post('add?wrap-with-directory=false&anything=1', { parts })).status).toBe(200)
  })
})

describe('add', () => {
  test('ignores the modes and times that Go sends with every file', async () => {
    expect(await add([{ path: 'a.txt', content: 'hello world' }])).toBe(
      'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD',
    )
  })

  test('stores modes and times on request, with the CIDs of Kubo', async () => {
    const parts = [
      { path: 'top', isFolder: true, field: 'file?mode=020000000750&mtime=10' },
      { path: 'top/a.txt', content: 'hello world', field: 'file?mode=0755&mtime=1700000000&mtime-nsecs=500000000' },
      { path: 'top/big', content: 'a'.repeat(300_000), field: 'file?mode=040000640&mtime=-5' },
      { path: 'top/link', content: 'a.txt', isLink: true, field: 'file?mode=01000000777&mtime=7' },
      { path: 'top/sub', isFolder: true, field: 'file?mode=020004000777&mtime=9' },
      { path: 'top/sub/x', content: 'x', field: 'file?mode=0444&mtime=8' },
    ]
    // From Kubo 0.43, for a folder with these modes and times.
    for (const [options, cid] of [
      ['&preserve-mode=true', 'QmZVvh8Gma3KwnsQxZmqBcDmEZ8fjhRkubT6dJNisaXTXy'],
      ['&preserve-mtime=true', 'QmXroLiUQLgSrcLieq7oXkCxtJ9rUjDopLfWsUTznvJWEo'],
      [
        '&preserve-mode=true&preserve-mtime=true&cid-version=1',
        'bafybeihhdybzlnoll3gaw5rt3l5vwsm2dak7u42q3pnovo6c6nxl3nlqmq',
      ],
      ['&mode=0700&mtime=-5&mtime-nsecs=7', 'QmULxcTZokBLz3Y92ifxFvgXxgpz7Fv8cXZYXds9zHCPdX'],
      ['&mode=448&mtime=-5&mtime-nsecs=7', 'QmULxcTZokBLz3Y92ifxFvgXxgpz7Fv8cXZYXds9zHCPdX'],
      ['&preserve-mode=true&max-directory-links=2&max-hamt-fanout=8', 'QmQfXV7nc8pwXB37hJqooJnRgXuSidqNHykpdH3SYB4Puz'],
      [
        '&wrap-with-directory=true&mode=0700&preserve-mode=true&preserve-mtime=true',
        'QmdPdyzDn3jwrDFWyru57qcvym8sP25ezAhWNQwhBYWACa',
      ],
    ] as const) {
      expect(await add(parts, `${options}&only-hash=true`), options).toBe(cid)
      expect(await add(parts, options), options).toBe(cid)
      expect((await post(`dag/stat?arg=${cid}`)).status).toBe(200)
    }
    const stored = (await post('files/stat?arg=/ipfs/QmZVvh8Gma3KwnsQxZmqBcDmEZ8fjhRkubT6dJNisaXTXy/big')).json
    expect(stored).toMatchObject({ Mode: '40000640' })
    // What was added is complete, and what it replaced is not kept.
    const car = await fetch(
      `${storage.gatewayUrl}/ipfs/bafybeihhdybzlnoll3gaw5rt3l5vwsm2dak7u42q3pnovo6c6nxl3nlqmq?format=car`,
    )
    const blocks = await CarReader.fromBytes(new Uint8Array(await car.arrayBuffer()))
    let count = 0
    for await (const _block of blocks.blocks()) count++
    expect(count).toBe(8)
  })

  test('gives an upload the name of its pin', async () => {
    const parts = [{ path: 'a.txt', content: 'a pin with a name' }]
    const cid = await add(parts, '&pin-name=letters%20of%20Ada')
    const { Keys } = (await post('pin/ls?names=true')).json as { Keys: Record<string, { Name?: string }> }
    expect(Keys[cid]?.Name).toBe('letters of Ada')
    for (const option of ['only-hash=true', 'pin=false']) {
      const refused = await post(`add?stream-channels=true&pin-name=x&${option}`, { parts })
      expect([refused.status, refused.json]).toMatchObject([400, { Message: 'pin-name requires a pin' }])
    }
  })

  test('refuses modes and times of parts that are none', async () => {
    for (const field of [
      'file?mode=9',
      'file?mtime=soon',
      'file?mtime=1&mtime-nsecs=1000000000',
      'file?mtime=1&mtime-nsecs=-1',
    ]) {
      const sent = await post('add?stream-channels=true&preserve-mode=true&preserve-mtime=true', {
        parts: [{ path: 'a', content: 'x', field }],
      })
      expect([field, sent.status, sent.headers.get('x-cairn-code')]).toEqual([field, 400, 'INVALID_MULTIPART'])
    }
  })

  test('omits empty folders on request, but not the top', async () => {
    const parts = [
      { path: 'top', isFolder: true },
      { path: 'top/empty', isFolder: true },
      { path: 'top/outer', isFolder: true },
      { path: 'top/outer/inner', isFolder: true },
      { path: 'top/a', content: 'x' },
    ]
    const without = parts.filter(({ path }) => path !== 'top/empty' && path !== 'top/outer/inner')
    const whole = await add(parts)
    expect(await add(parts, '&empty-dirs=true')).toBe(whole)
    expect(await add(parts, '&empty-dirs=false')).toBe(await add(without))
    expect(await add(parts, '&empty-dirs=false')).not.toBe(whole)
    const top = [{ path: 'top', isFolder: true }]
    expect(await add(top, '&empty-dirs=false')).toBe(await add(top))
    const nothing = await post('add?stream-channels=true&empty-dirs=false&wrap-with-directory=true', { parts: top })
    expect(nothing.headers.get('x-cairn-code')).toBe('NO_FILE')
  })

  test('reads links of files, entries of folders and slots of shards from the request', async () => {
    const file = [{ path: 'a', content: 'x'.repeat(100_000) }]
    const chunks = '&chunker=size-16384'
    expect(await add(file, `${chunks}&max-file-links=2`)).not.toBe(await add(file, chunks))
    const folder = Array.from({ length: 20 }, (_, index) => ({ path: `d/${index}`, content: `${index}` }))
    const roots = [
      await add(folder),
      await add(folder, '&max-directory-links=10'),
      await add(folder, '&max-directory-links=10&max-hamt-fanout=8'),
      await add(folder, '&max-directory-links=10&max-hamt-fanout=1024'),
    ]
    expect(new Set(roots).size).toBe(4)
    for (const root of roots) {
      const { json } = await post(`ls?arg=${root}`)
      const names = folder.map(({ path }) => path.slice(2)).sort()
      expect(json).toMatchObject({ Objects: [{ Hash: root, Links: names.map((Name) => ({ Name, Type: 2 })) }] })
    }
  })
})

test('flags are set without a value, and by each word that Go reads as true', async () => {
  const file = [{ path: 'flag', content: `content of a flag` }]
  expect(await add(file, '&raw-leaves')).toBe(await add(file, '&raw-leaves=true'))
  expect(await add(file, '&raw-leaves=')).not.toBe(await add(file, '&raw-leaves=false'))
  for (const [set, unset] of [
    ['True', 'False'],
    ['TRUE', 'FALSE'],
    ['t', 'f'],
    ['T', 'F'],
  ]) {
    expect(await add(file, `&raw-leaves=${set}`)).toBe(await add(file, '&raw-leaves=true'))
    expect(await add(file, `&raw-leaves=${unset}`)).toBe(await add(file, '&raw-leaves=false'))
  }
  expect((await post('version?all=tRUE')).headers.get('x-cairn-code')).toBe('INVALID_REQUEST')
  const hashed = await add([{ path: 'hashed', content: 'only hashed, by a flag without a value' }], '&only-hash')
  expect((await post(`block/stat?arg=${hashed}`)).headers.get('x-cairn-code')).toBe('BLOCK_NOT_FOUND')
})

describe('reading', () => {
  test('needs no key, and returns the added content', async () => {
    const root = await add(
      [
        { path: 'top/b.txt', content: 'bee' },
        { path: 'top/sub/c.txt', content: 'see' },
      ],
      '&cid-version=1',
    )
    const read = (call: string) => post(call, { isAnonymous: true })
    expect((await read(`cat?arg=${root}/b.txt&offset=1`)).body).toBe('ee')
    expect((await read(`cat?arg=/ipfs/${root}/sub/c.txt`)).body).toBe('see')
    expect((await read(`cat?arg=ipfs://${root}/sub/c.txt`)).body).toBe('see')
    expect((await read(`resolve?arg=${root}/sub`)).json).toMatchObject({ Path: expect.stringMatching(/^\/ipfs\/baf/) })
    const { json: stat } = await read(`block/stat?arg=${root}`)
    const { body: block } = await read(`block/get?arg=${root}`)
    expect(stat).toEqual({ Key: root, Size: expect.any(Number) })
    expect(block).not.toBe('')
    const node: unknown = JSON.parse((await read(`dag/get?arg=${root}`)).body)
    expect(node).toMatchObject({ Links: [{ Name: 'b.txt' }, { Name: 'sub' }] })
    expect((await read(`get?arg=${root}`)).headers.get('content-type')).toBe('application/x-tar')
    expect((await read(`get?arg=${root}&compress=true`)).headers.get('x-cairn-code')).toBe('NOT_SUPPORTED')
    expect((await read(`cat?arg=${root}`)).headers.get('x-cairn-code')).toBe('INVALID_PATH')
    expect((await read(`cat?arg=${root}/..`)).headers.get('x-cairn-code')).toBe('INVALID_PATH')
    expect((await read(`cat?arg=${root}/no`)).headers.get('x-cairn-code')).toBe('PATH_NOT_FOUND')
    expect((await read(`dag/get?arg=${root}&output-codec=dag-pb`)).headers.get('x-cairn-code')).toBe('INVALID_REQUEST')
  })
})

describe('reading what was put as a node', () => {
  /** "hello" in its CID. */
  const inlined = 'bafkqablimvwgy3y'
  const put = async (content: string, codec: string) => {
    const { json } = await post(`dag/put?store-codec=${codec}`, { parts: [{ path: 'node', content }] })
    return (json as { Cid: { '/': string } }).Cid['/']
  }

  test('counts and exports the blocks in identity CIDs, as Kubo does', async () => {
    const cid = await put(`{"a":{"/":"${inlined}"},"b":{"/":"${inlined}"}}`, 'dag-cbor')
    const { json: stat } = await post(`block/stat?arg=${cid}`)
    const { Size } = stat as { Size: number }
    expect((await post(`dag/stat?arg=${cid}&arg=${inlined}&progress=false`)).json).toMatchObject({
      UniqueBlocks: 2,
      TotalSize: Size + 5,
      DagStats: [
        { Cid: cid, Size: Size + 5, NumBlocks: 2 },
        { Cid: inlined, Size: 5, NumBlocks: 1 },
      ],
    })
    const exported = await fetch(`${storage.apiUrl}/api/v0/dag/export?arg=${cid}`, { method: 'POST' })
    const car = await CarReader.fromBytes(new Uint8Array(await exported.arrayBuffer()))
    expect((await Array.fromAsync(car.cids())).map(String)).toEqual([cid, inlined])
  })

  test('states the rest of a path as a path', async () => {
    const cid = await put('{"v":{"w":[7]}}', 'dag-cbor')
    expect((await post(`dag/resolve?arg=${cid}/v/w`)).json).toEqual({ Cid: { '/': cid }, RemPath: '/v/w' })
    expect((await post(`dag/resolve?arg=${cid}`)).json).toEqual({ Cid: { '/': cid }, RemPath: '' })
  })

  test('continues into plain JSON and CBOR, which have no links, and through the names of other nodes', async () => {
    for (const [codec, bytes] of [
      ['json', Buffer.from('{"a":{"b":[1,2]}}')],
      ['cbor', Buffer.from('a16161a16162820102', 'hex')],
    ] as const) {
      const body = new FormData()
      body.append('file', new Blob([bytes]), 'block')
      const { json } = await send(`block/put?cid-codec=${codec}`, { ...bearer(key), body })
      const { Key: cid } = json as { Key: string }
      expect((await post(`dag/get?arg=${cid}/a/b/1`)).body).toBe('2')
      expect((await post(`dag/get?arg=${cid}/a/b/2`)).headers.get('x-cairn-code')).toBe('PATH_NOT_FOUND')
      expect((await post(`cat?arg=${cid}/a`)).headers.get('x-cairn-code')).toBe('INVALID_PATH')
    }
    const node = await put(`{"Links":[{"Name":"a","Hash":{"/":"${inlined}"},"Tsize":5}]}`, 'dag-pb')
    expect((await post(`cat?arg=${node}/a`)).body).toBe('hello')
    expect((await post(`cat?arg=${node}/b`)).headers.get('x-cairn-code')).toBe('PATH_NOT_FOUND')
  })

  test('returns the target of a symbolic link as a file', async () => {
    const link = await put('{"Data":{"/":{"bytes":"CAQSA2EvYg"}},"Links":[]}', 'dag-pb')
    expect((await post(`cat?arg=${link}`)).body).toBe('a/b')
    expect((await post(`cat?arg=${link}&offset=1&length=1`)).body).toBe('/')
  })

  test('accepts the path spellings of Kubo', async () => {
    expect((await post(`cat?arg=/ipfs//${inlined}`)).body).toBe('hello')
    for (const path of [`/ipfs/${inlined}`, `ipfs://${inlined}`])
      expect((await post(`files/stat?arg=${path}`)).json).toMatchObject({ Hash: inlined, Size: 5, Type: 'file' })
  })
})

describe('pins', () => {
  test('are the uploads of an account: listed, added once, removed all together', async () => {
    const cid = await add([{ path: 'kept.txt', content: 'kept' }])
    await add([{ path: 'kept twice.txt', content: 'kept' }])
    const pins = async () => (await post('pin/ls?names=true')).json
    expect(await pins()).toMatchObject({ Keys: { [cid]: { Type: 'recursive', Name: 'kept twice.txt' } } })
    const streamed = async (query: string) => {
      const lines = (await post(`pin/ls?stream=true&names=true&${query}`)).body.trim().split('\n')
      return lines.map((line) => JSON.parse(line)).filter((pin) => pin.Cid === cid)
    }
    expect(await streamed('')).toEqual([{ Cid: cid, Type: 'recursive', Name: 'kept twice.txt' }])
    expect(await streamed('name=kept.txt')).toEqual([{ Cid: cid, Type: 'recursive', Name: 'kept.txt' }])
    expect((await post(`pin/ls?arg=${cid}`)).json).toEqual({ Keys: { [cid]: { Type: 'recursive', Name: '' } } })
    expect((await post('pin/ls?type=direct')).json).toEqual({})
    expect(await post(`pin/ls?type=direct&arg=${cid}`)).toMatchObject({
      status: 500,
      json: { Message: `path '${cid}' is not pinned` },
    })
    const stranger = bearer(await storage.createKey()).headers
    const asStranger = (call: string) => send(call, { headers: stranger })
    expect((await asStranger(`pin/rm?arg=${cid}`)).json).toMatchObject({ Message: `path '${cid}' is not pinned` })
    for (let times = 0; times < 2; times++) {
      expect((await asStranger(`pin/add?arg=${cid}&name=mine`)).json).toEqual({ Pins: [cid] })
    }
    const { json: files } = await storage.call('/api/user/files_uploaded?lastKey=null', { headers: stranger })
    expect(files).toMatchObject({ totalFiles: 1, fileList: [{ cid, fileName: 'mine' }] })
    expect((await post(`pin/rm?arg=${cid}&recursive=false`)).headers.get('x-cairn-code')).toBe('NOT_SUPPORTED')
    const other = 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'
    expect((await post(`pin/rm?arg=${cid}&arg=${other}`)).json).toMatchObject({
      Message: `path '${other}' is not pinned`,
    })
    expect(await pins()).toMatchObject({ Keys: { [cid]: {} } })
    expect((await post(`pin/rm?arg=${cid}`)).json).toEqual({ Pins: [cid] })
    expect(Object.keys(Object(await pins()).Keys ?? {})).not.toContain(cid)
    expect((await asStranger(`pin/ls?arg=${cid}&stream=true`)).json).toEqual({ Cid: cid, Type: 'recursive', Name: '' })
  })
})

describe('options that Kubo does not have, but clients send', () => {
  test('those of kubo-rpc-client for pins, blocks and paths', async () => {
    const cid = await add([{ path: 'd/a.txt', content: 'with options' }])
    expect((await post(`pin/add?arg=${cid}&stream=true`)).json).toEqual({ Pins: [cid] })
    const listed = await post(`pin/ls?paths=${cid}&stream=true&arg=${cid}&names=false&type=recursive`)
    expect(listed.json).toEqual({ Cid: cid, Type: 'recursive', Name: '' })
    expect((await post(`block/get?arg=${cid}&path=a.txt&local-resolve=true`)).status).toBe(200)
    const { json: below } = await post(`dag/resolve?arg=${cid}/a.txt`)
    expect((await post(`dag/resolve?arg=${cid}/a.txt&path=a.txt`)).json).toEqual(below)
  })

  test('those of go-ipfs-api for archives, and its empty names', async () => {
    const parts = [{ path: '0', content: 'from Go' }]
    const { json } = await post('block/put', { parts })
    expect((await post('block/put?format=&mhtype=&mhlen=-1', { parts })).json).toEqual(json)
    const cid = await add([{ path: 'd/a.txt', content: 'from Go' }])
    expect((await post(`get?arg=${cid}&create=true`)).status).toBe(200)
  })

  test("those of Kubo's Go client for folders, symbolic links and keys", async () => {
    const cid = await add([{ path: 'd/a.txt', content: 'from Go' }])
    const listed = await post(`ls?arg=${cid}&resolve-size=true&stream=true`)
    expect(listed.json).toMatchObject({ Objects: [{ Links: [{ Name: 'a.txt', Size: 7 }] }] })
    expect((await post(`cat?arg=${cid}/a.txt&resolve-size=true&stream=true`)).body).toBe('from Go')
    const { json: made } = await post('key/gen?arg=go&type=ed25519&size=-1')
    expect((await post('key/ls')).json).toEqual({ Keys: [made] })
    await post('key/rm?arg=go')
    expect((await post(`files/stat?arg=/ipfs/${cid}&with-local=false`)).status).toBe(200)
  })

  test('the old names of both codecs with their defaults, and no others', async () => {
    const parts = [{ path: '0', content: '{"a":1}' }]
    const { json } = await post('dag/put', { parts })
    expect((await post('dag/put?format=cbor&input-enc=json', { parts })).json).toEqual(json)
    const refused = await post('dag/put?format=protobuf&input-enc=json', { parts })
    expect(refused.headers.get('x-cairn-code')).toBe('INVALID_REQUEST')
  })
})

describe('blocks and nodes', () => {
  const parts = (...contents: string[]) => contents.map((content, at) => ({ path: `${at}`, content }))
  // What Kubo 0.43 answers to the same requests.
  const hello = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
  const linked = `{"a":{"/":"${hello}"},"b":1}\n`
  const linkedCid = 'bafyreig4ep2vjwuofoh4m5iwjcw322bew4oiv4u2ntsgpesjouj7gqtb6q'

  test('are stored with the CIDs of Kubo, each as an upload', async () => {
    const put = await post('block/put', { parts: parts('hello', linked) })
    expect(put.body).toBe(
      `{"Key":"${hello}","Size":5}\n{"Key":"bafkreibvmrklevlfhwa2gu3cv3rn7kbdq3gpe3slgrvvrkpa5lxtl2vv6i","Size":80}\n`,
    )
    expect((await post(`block/get?arg=${hello}`)).body).toBe('hello')
    expect((await post(`pin/ls?arg=${hello}`)).json).toMatchObject({ Keys: { [hello]: { Type: 'recursive' } } })
    expect((await post('dag/put', { parts: parts(linked) })).body).toBe(`{"Cid":{"/":"${linkedCid}"}}\n`)
    expect((await post(`dag/get?arg=${linkedCid}/b`)).body).toBe('1')
    const node = { Links: [], Data: { '/': { bytes: 'CAE' } } }
    const folder = await post('dag/put?store-codec=dag-pb', { parts: parts(JSON.stringify(node)) })
    expect(folder.json).toEqual({ Cid: { '/': 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354' } })
    // In plain JSON, a slash is a name as any other.
    const plain = await post('dag/put?input-codec=json', { parts: parts('{"/":{"bytes":"AQID"}}') })
    expect(plain.json).toEqual({ Cid: { '/': 'bafyreig4iyzbrutzuaazfeaekrzvd4kkk5acxhk7lrn3ynet5vgpxs6cfm' } })
  })

  test('have the CIDs of Kubo with other hash functions, too', async () => {
    for (const [options, cid] of [
      ['mhtype=sha1', 'bafkrcffk6tdb3xgf5crnvpw6b45uqlgzv2uugti'],
      ['mhtype=blake2b-256', 'bafk2bzaceaze3tycpxkkgcutfrcb6ns2exugwfz556slrzmjjasti4nydnzm6'],
      ['mhtype=sha2-512&mhlen=32', 'bafkrgie3ohjcjplc6n4f3fwunlj6upltggn7xqujbsvnvyw764srszz4u4'],
      ['mhtype=keccak-256', 'bafkrwia4rl7zkbufylwuxqyxj42hekd3k3mvc644ssasomm2bgt2g3pkza'],
      ['mhtype=identity', 'bafkqablimvwgy3y'],
    ]) {
      expect((await post(`block/put?${options}`, { parts: parts('hello') })).body).toBe(`{"Key":"${cid}","Size":5}\n`)
      expect((await post(`block/get?arg=${cid}`)).body).toBe('hello')
      expect((await post(`cat?arg=${cid}`)).body).toBe('hello')
      expect((await post(`block/stat?arg=${cid}`)).json).toEqual({ Key: cid, Size: 5 })
      expect((await post(`pin/ls?arg=${cid}`)).json).toMatchObject({ Keys: { [cid ?? '']: {} } })
    }
    for (const [hash, cid] of [
      ['blake2b-256', 'bafy2bzaceauyvy4s6ecqx4pvrhcumaho4wtpbv46jfhexne46zizan2y26mgk'],
      ['sha1', 'bafyrcfai2llihsjvxl4hlbhqpl5yr2u7zphjkta'],
      ['blake3', 'bafyr4iequgtkkqghk4nywm7vxfmjjn4m73u3p3a2iicwg6fesbwbes5kde'],
    ]) {
      expect((await post(`dag/put?hash=${hash}`, { parts: parts('{"b":1}') })).json).toEqual({ Cid: { '/': cid } })
      expect((await post(`dag/get?arg=${cid}/b`)).body).toBe('1')
    }
    // The old form of cid-codec, where CBOR is DAG-CBOR.
    for (const format of ['format=cbor', 'format=cbor&cid-codec=raw']) {
      const { json } = await post(`block/put?${format}`, { parts: parts('\x01') })
      expect(json).toMatchObject({ Key: CID.createV1(0x71, sha256Of('\x01')).toString() })
    }
    const both = await post('block/put?format=raw&cid-codec=dag-cbor', { parts: parts('\x01') })
    expect(both.headers.get('x-cairn-code')).toBe('INVALID_REQUEST')
    const folder = await post('block/put?format=protobuf&mhtype=blake2b-256', { parts: parts('\x0a\x02\x08\x01') })
    expect(folder.json).toMatchObject({ Key: 'bafykbzacebugfutjir6qie7apo5shpry32ruwfi762uytd5g3u2gk7tpscndq' })
  })

  test('contain no link that is longer than a CID: its decoding would stop the service for hours', async () => {
    const link = CID.createV1(0x55, createDigest(0, new Uint8Array(220))).toString()
    for (const key of ['/', '\\/', '\\u002F']) {
      const json = `{"a":{"${key}" : "${link}"}}`
      const put = await post('dag/put', { parts: parts(json) })
      expect(put.headers.get('x-cairn-code')).toBe('UNSUPPORTED_CODEC')
      expect(put.json).toMatchObject({ Message: 'A part is not dag-json, or cannot be encoded as dag-cbor' })
      // Plain JSON has no links, but is decoded as DAG-JSON when a client asks for its value.
      const stored = await post('block/put?cid-codec=json', { parts: parts(json) })
      const { Key }: { Key: string } = JSON.parse(stored.body)
      expect((await post(`dag/get?arg=${Key}`)).headers.get('x-cairn-code')).toBe('UNSUPPORTED_CODEC')
    }
  })

  test('are rejected if they link to missing content, are too large, or differ from the declaration', async () => {
    const missing = '{"/":"bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"}'
    const before = (await post('repo/stat')).json
    for (const [path, content, code] of [
      ['dag/put', missing, 'INCOMPLETE_DAG'],
      ['dag/put', '{', 'UNSUPPORTED_CODEC'],
      ['dag/put?store-codec=dag-pb', '{"a":1}', 'UNSUPPORTED_CODEC'],
      // Their CIDs would differ from Kubo's.
      ['dag/put', '{"a":1.0}', 'UNSUPPORTED_CODEC'],
      ['dag/put?input-codec=json', '{"a":18446744073709551615}', 'UNSUPPORTED_CODEC'],
      ['dag/put?store-codec=json', '{"a":1}', 'INVALID_REQUEST'],
      ['dag/put?store-codec=cbor', '{"a":1}', 'INVALID_REQUEST'],
      ['block/put?cid-codec=dag-cbor', 'no cbor', 'INVALID_CAR'],
      ['block/put', 'x'.repeat(2 * 1024 * 1024 + 1), 'PAYLOAD_TOO_LARGE'],
      ['block/put?mhtype=murmur3-x64-64', 'x', 'UNSUPPORTED_CODEC'],
      ['block/put?mhtype=md5', 'x', 'UNSUPPORTED_CODEC'],
      ['block/put?mhtype=nonsense', 'x', 'UNSUPPORTED_CODEC'],
      ['block/put?mhlen=19', 'x', 'UNSUPPORTED_CODEC'],
      ['block/put?mhlen=33', 'x', 'UNSUPPORTED_CODEC'],
      ['block/put?mhlen=-2', 'x', 'INVALID_REQUEST'],
      ['block/put?format=v0&mhtype=blake2b-256', '', 'UNSUPPORTED_CODEC'],
      ['dag/put?hash=md5', '{}', 'UNSUPPORTED_CODEC'],
    ] as const) {
      const answer = await post(path, { parts: parts(content) })
      expect([path, answer.headers.get('x-cairn-code')]).toEqual([path, code])
    }
    expect((await post('block/put', { parts: [] })).headers.get('x-cairn-code')).toBe('NO_FILE')
    expect((await post('repo/stat')).json).toEqual(before)
  })
})

test('sizes of DAGs, files, folders and of the account equal those of Kubo', async () => {
  const root = await add(
    [
      { path: 'd', isFolder: true },
      { path: 'd/h', content: 'hello' },
      { path: 'd/j', content: 'x'.repeat(80) },
    ],
    '&cid-version=1',
  )
  const hello = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
  expect((await post(`dag/stat?arg=${root}&arg=${hello}&progress=false`)).json).toEqual({
    UniqueBlocks: 3,
    TotalSize: 179,
    SharedSize: 5,
    Ratio: 1.027933,
    DagStats: [
      { Cid: root, Size: 179, NumBlocks: 3 },
      { Cid: hello, Size: 5, NumBlocks: 1 },
    ],
  })
  const stat = async (path: string) => (await post(`files/stat?arg=${path}`)).json
  expect(await stat(`/ipfs/${root}`)).toEqual({
    Hash: root,
    Size: 0,
    CumulativeSize: 179,
    Blocks: 2,
    Type: 'directory',
  })
  expect(await stat(`/ipfs/${root}/h`)).toEqual({ Hash: hello, Size: 5, CumulativeSize: 5, Blocks: 0, Type: 'file' })
  expect((await post('files/stat?arg=/')).headers.get('x-cairn-code')).toBe('NOT_SUPPORTED')
  expect((await post('repo/stat')).json).toMatchObject({ RepoSize: expect.any(Number), Version: 'fs-repo@18' })
  expect((await post('repo/stat', { isAnonymous: true })).status).toBe(401)
})

test('replaces a pin by another', async () => {
  const from = await add([{ path: 'from', content: 'the pin before' }])
  const folder = await add([
    { path: 'd', isFolder: true },
    { path: 'd/to', content: 'the pin after' },
  ])
  const { Path } = (await post(`resolve?arg=/ipfs/${folder}/to`)).json as { Path: string }
  const to = Path.slice('/ipfs/'.length)
  expect((await post(`pin/update?arg=${from}&arg=${to}`)).json).toEqual({ Pins: [from, to] })
  expect((await post(`pin/ls?arg=${to}`)).status).toBe(200)
  expect((await post(`pin/ls?arg=${from}`)).status).toBe(500)
  expect((await post(`pin/update?arg=${from}&arg=${to}`)).json).toMatchObject({
    Message: expect.stringMatching(/is not pinned/),
  })
})

test('a pin that is replaced by another CID of the same content stays', async () => {
  const root = await add([{ path: 'kept', content: 'the pin that stays' }], '&cid-version=0')
  const first = CID.parse(root)
  expect(first.version).toBe(0)
  for (const [from, to] of [
    [root, `${first.toV1()}`],
    [`${first.toV1()}`, root],
    [root, `${CID.createV1(0x55, first.multihash)}`],
  ]) {
    expect((await post(`pin/update?arg=${from}&arg=${to}`)).json).toEqual({ Pins: [from, to] })
    expect((await post(`pin/ls?arg=${root}`)).status, to).toBe(200)
  }
})

test('exactly one of several concurrent calls that create keys of one name succeeds', async () => {
  const made = await Promise.all([1, 2, 3].map(() => post('key/gen?arg=twice')))
  expect(made.map(({ headers }) => headers.get('x-cairn-code')).sort()).toEqual(['CONFLICT', 'CONFLICT', null])
  const other = await post('key/gen?arg=other')
  const renamed = await Promise.all(['twice', 'other'].map((was) => post(`key/rename?arg=${was}&arg=once`)))
  expect(renamed.map(({ status }) => status).sort()).toEqual([200, 409])
  const { Keys } = (await post('key/list')).json as { Keys: { Name: string }[] }
  expect([other.status, Keys.filter(({ Name }) => Name === 'once')]).toEqual([200, [expect.anything()]])
  for (const { Name } of Keys) await post(`key/rm?arg=${Name}`)
})

test('lists many entries of one line together, of all its paths', async () => {
  const Hash = CID.parse('bafkqaaa')
  const entry = (at: number) => ({ Hash, Name: String(at).padStart(5, '0'), Tsize: 0 })
  const Links = Array.from({ length: 33_000 }, (_, at) => entry(at))
  // All of its bytes are ASCII.
  const content = Buffer.from(dagPb.encode({ Data: Uint8Array.of(8, 1), Links })).toString('latin1')
  const { json: stored } = await post('block/put?format=dag-pb', { parts: [{ path: '0', content }] })
  const { Key } = stored as { Key: string }
  expect((await post(`ls?arg=${Key}`)).status).toBe(200)
  const twice = await post(`ls?arg=${Key}&arg=${Key}`)
  expect(twice.json).toMatchObject({ Message: 'The answer has more than 65536 entries. List them with stream=true' })
  const { json } = await post(`ls?arg=${Key}&arg=bafkqaaa`)
  expect(json).toMatchObject({ Objects: [{ Hash: Key }, { Hash: 'bafkqaaa', Links: [] }] })
})

test('creates, lists, renames, publishes and removes keys of names', async () => {
  const cid = await add([{ path: 'n', content: 'named content' }])
  const made = (await post('key/gen?arg=site&type=ed25519')).json as { Name: string; Id: string }
  expect(made).toEqual({ Name: 'site', Id: expect.stringMatching(/^k51/) })
  expect((await post('key/gen?arg=site')).json).toMatchObject({ Message: "key with name 'site' already exists" })
  expect((await post('key/list')).json).toEqual({ Keys: [made] })
  const renamed = { Was: 'site', Now: 'blog', Id: made.Id, Overwrite: false }
  expect((await post('key/rename?arg=site&arg=blog')).json).toEqual(renamed)
  const published = { Name: made.Id, Value: `/ipfs/${cid}` }
  expect((await post(`name/publish?arg=${cid}&key=blog&lifetime=24h&ttl=1m30s`)).json).toEqual(published)
  expect((await post(`name/resolve?arg=${made.Id}`)).json).toEqual({ Path: `/ipfs/${cid}` })
  expect((await post(`name/resolve?arg=/ipfs/${cid}/a`, { isAnonymous: true })).json).toMatchObject({
    Message: `"/ipfs/${cid}/a" is not an IPNS name`,
  })
  expect((await post(`name/publish?arg=${cid}`)).json).toMatchObject({ Message: 'no key named self was found' })
  const unknown = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
  const refused = await post(`name/publish?arg=${unknown}&key=blog`)
  expect(refused.headers.get('x-cairn-code')).toBe('BLOCK_NOT_FOUND')
  expect((await post('key/rm?arg=blog')).json).toEqual({ Keys: [{ Name: 'blog', Id: made.Id }] })
  expect((await post('key/rm?arg=blog')).json).toMatchObject({ Message: 'no key named blog was found' })
  expect((await post('key/import?arg=x')).json).toMatchObject({ hint: expect.stringContaining('cairn name import') })
})
