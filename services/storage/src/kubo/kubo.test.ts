import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

let storage: TestStorage
let key: string
beforeAll(async () => {
  storage = await startTestStorage()
  key = await storage.createKey()
})
afterAll(() => storage[Symbol.asyncDispose]())

type Sent = { path: string; field?: string; content?: string; isFolder?: boolean }

/** A body as Go's client writes it: names escaped, what the disk says of a file in the field's name. */
function goBody(parts: readonly Sent[]): { headers: Record<string, string>; body: string } {
  const boundary = 'fromgo'
  const body = parts.map(({ path, field = 'file?mode=0644&mtime=1700000000', content = '', isFolder = false }) =>
    [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${field}"; filename="${encodeURIComponent(path)}"`,
      `Content-Type: ${isFolder ? 'application/x-directory' : 'application/octet-stream'}`,
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
    // Kubo's program has one text for it, whatever the body says.
    expect(answer.status).not.toBe(404)
    expect(answer.headers.get('x-cairn-code')).toBe(code)
    expect(answer.json).toMatchObject({ Message: expect.stringMatching(message), Code: 0, Type: 'error' })
    expect(Object.keys(JSON.parse(answer.body)).filter((name) => name.toLowerCase() === 'code')).toEqual(['Code'])
  }

  test('of calls that are not there name the call', async () => {
    for (const call of ['files/ls', 'swarm/peers', 'pin/remote/add', 'dag/put', 'nonsense']) {
      expectForGo(await post(call), 'NOT_SUPPORTED', new RegExp(`does not have Kubo's call "${call}"`))
    }
    expectForGo(await post('files/write', { parts: [{ path: 'a' }] }), 'NOT_SUPPORTED', /files\/write/)
  })

  test('of reading, of options and of keys can be read by Go', async () => {
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
      ['mode=0644', /mode is not kept/],
      ['trickle=true', /trickle is not supported/],
      ['max-hamt-fanout=100', /power of two/],
    ] as const) {
      expectForGo(await post(`add?stream-channels=true&${option}`, { parts }), 'INVALID_REQUEST', message)
    }
  })

  test('of published clients stay in their form, and their unknown options are ignored as ever', async () => {
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

  test('leaves out empty folders where asked, but not the top', async () => {
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

  test('takes links of files, entries of folders and slots of shards from the request', async () => {
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

describe('reading', () => {
  test('needs no key, and gives what was added', async () => {
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

describe('pins', () => {
  test('are the uploads of an account: listed, added once, removed all together', async () => {
    const cid = await add([{ path: 'kept.txt', content: 'kept' }])
    await add([{ path: 'kept twice.txt', content: 'kept' }])
    const pins = async () => (await post('pin/ls?names=true')).json
    expect(await pins()).toMatchObject({ Keys: { [cid]: { Type: 'recursive', Name: 'kept twice.txt' } } })
    expect((await post(`pin/ls?arg=${cid}`)).json).toEqual({ Keys: { [cid]: { Type: 'recursive', Name: '' } } })
    expect((await post('pin/ls?type=direct')).json).toEqual({})
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
