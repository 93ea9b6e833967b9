import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { importProfiles } from '@cairn/unixfs'
import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { createTestGateway } from './test-gateway.fixture.ts'

const open: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close()
})

async function listen(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  open.push({
    close: () => {
      app.server.closeAllConnections()
      return app.close()
    },
  })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function dial(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  open.push({ close: () => socket.destroy() })
  return socket
}

/** Sends raw bytes and reads until the other side closes. */
async function talk(port: number, text: string): Promise<string> {
  const socket = dial(port)
  socket.write(text)
  const pieces: Buffer[] = []
  for await (const piece of socket) pieces.push(piece)
  return Buffer.concat(pieces).toString('latin1')
}

const profile = { ...importProfiles.v1, chunkSizeBytes: 65_536 }

const pattern = (length: number) => Buffer.from(Array.from({ length }, (_, at) => Math.imul(at, 2_654_435_761) >>> 19))

describe('a small answer', () => {
  it('is repeated from memory for a second, unchanged', async () => {
    let now = 0
    const sent: number[] = []
    const { app, addFile, reads } = createTestGateway({ now: () => now, onSent: (_root, bytes) => sent.push(bytes) })
    const url = `http://127.0.0.1:${await listen(app)}/ipfs/${await addFile(pattern(4096))}`
    const read = async () => {
      const answer = await fetch(url)
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'))
      return { status: answer.status, headers, body: Buffer.from(await answer.arrayBuffer()) }
    }
    const first = await read()
    const readsOfFirst = reads.count
    expect(first).toMatchObject({ status: 200, headers: { 'x-content-type-options': 'nosniff' } })
    expect(await read()).toEqual(first)
    expect(reads.count).toBe(readsOfFirst)
    now = 1001
    expect(await read()).toEqual(first)
    expect(reads.count).toBeGreaterThan(readsOfFirst)
    await expect.poll(() => sent.length).toBe(3)
    for (const bytes of sent) expect(bytes).toBeGreaterThan(4096)
  })
})

describe('a stream', () => {
  it('reports that more follows, as a file of one piece does not', async () => {
    let more = 0
    const { app, addFile } = createTestGateway({ onMore: () => more++ })
    const [small, large] = [await addFile(pattern(1000), profile), await addFile(pattern(1_000_000), profile)]
    const gateway = `http://127.0.0.1:${await listen(app)}`
    await (await fetch(`${gateway}/ipfs/${small}`)).arrayBuffer()
    expect(more).toBe(0)
    await (await fetch(`${gateway}/ipfs/${large}`)).arrayBuffer()
    expect(more).toBeGreaterThan(0)
  })

  it('is cut, not ended, by a damaged block in its middle', async () => {
    const { app, addFile, blocks } = createTestGateway()
    const bytes = pattern(1_000_000)
    const cid = await addFile(bytes, profile)
    const block = [...blocks.values()].find(
      (one) => one.length === 65_536 && bytes.subarray(65_536 * 8, 65_536 * 9).equals(one),
    )
    if (block === undefined) throw new Error('no such block')
    block[100] = (block[100] ?? 0) ^ 1
    const port = await listen(app)
    const answer = await fetch(`http://127.0.0.1:${port}/ipfs/${cid}`)
    expect(answer.status).toBe(200)
    const got: Uint8Array[] = []
    await expect(
      (async () => {
        for await (const piece of answer.body ?? []) got.push(piece)
      })(),
    ).rejects.toThrow()
    const received = Buffer.concat(got)
    expect(received.length).toBeLessThanOrEqual(65_536 * 8)
    expect(received.equals(bytes.subarray(0, received.length))).toBe(true)
  })

  it('is cut in chunked form as well: a CAR has no clean end without its last block', async () => {
    const { app, addFile, blocks } = createTestGateway()
    const cid = await addFile(pattern(1_000_000), profile)
    const last = [...blocks.keys()].filter((key) => blocks.get(key)?.length === 1_000_000 % 65_536)
    for (const key of last) blocks.delete(key)
    const port = await listen(app)
    const text = await talk(port, `GET /ipfs/${cid}?format=car HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(text.startsWith('HTTP/1.1 200')).toBe(true)
    expect(text.endsWith('0\r\n\r\n')).toBe(false)
  })

  it('stops reading when the reader stalls, and ends when it disconnects', async () => {
    const { app, addFile, reads } = createTestGateway()
    // Each block differs, so that each read is a separate one.
    const bytes = Buffer.alloc(64 * 1_048_576)
    for (let at = 0; at < bytes.length; at += 65_536) bytes.writeUInt32LE(at, at)
    const cid = await addFile(bytes, profile)
    const port = await listen(app)
    const before = reads.count
    let served: Socket | undefined
    app.server.once('connection', (connection: Socket) => {
      served = connection
    })
    const socket = dial(port)
    socket.pause()
    socket.write(`GET /ipfs/${cid} HTTP/1.1\r\nHost: a\r\n\r\n`)
    while (reads.count === before) await new Promise((resolve) => setImmediate(resolve))
    await reads.settle()
    const taken = reads.count - before
    expect(taken).toBeGreaterThan(1)
    expect(taken).toBeLessThan(400)
    const gone = once(app.server, 'test-connection-gone')
    served?.once('close', () => app.server.emit('test-connection-gone'))
    socket.destroy()
    await gone
    await reads.settle()
    expect(reads.count - before).toBeLessThanOrEqual(taken + 2)
  })

  it('waits for memory when 256 readers are active, and then continues', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile(pattern(8_000_000), profile)
    const port = await listen(app)
    const holders: Socket[] = []
    for (let count = 0; count < 256; count++) {
      const socket = dial(port)
      holders.push(socket)
      socket.write(`GET /ipfs/${cid} HTTP/1.1\r\nHost: a\r\n\r\n`)
      await once(socket, 'readable')
    }
    const refused = await fetch(`http://127.0.0.1:${port}/ipfs/${cid}`)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('x-cairn-code')).toBe('OVERLOADED')
    expect(refused.headers.get('retry-after')).toBe('2')
    expect((await fetch(`http://127.0.0.1:${port}/ipfs/${cid}`, { headers: { range: 'bytes=0-3' } })).status).toBe(503)
    expect((await fetch(`http://127.0.0.1:${port}/ipfs/bafkqaaa`)).status).toBe(200)
    const gone = new Promise((resolve) => app.server.once('test-gone', resolve))
    for (const socket of holders) socket.destroy()
    const wait = () =>
      app.server.getConnections((_error, count) => (count > 2 ? setImmediate(wait) : app.server.emit('test-gone')))
    wait()
    await gone
    expect((await fetch(`http://127.0.0.1:${port}/ipfs/${cid}`)).status).toBe(200)
  })

  it('of many parts is bounded: too many ranges get the whole file', async () => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('0123456789')
    const port = await listen(app)
    const ranges = Array.from({ length: 1500 }, (_, at) => `${at % 10}-${at % 10}`).join(',')
    const text = await talk(
      port,
      `GET /ipfs/${cid} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nRange: bytes=${ranges}\r\n\r\n`,
    )
    expect(text).toContain('200 OK')
    expect(text.endsWith('0123456789')).toBe(true)
  })
})

describe('raw requests', () => {
  it.each([
    ['GET /ipfs/{cid}/../../etc/passwd HTTP/1.1', 400],
    ['GET /ipfs/../../etc/passwd HTTP/1.1', 400],
    ['GET //ipfs//{cid} HTTP/1.1', 404],
    ['GET /ipfs/%zz HTTP/1.1', 400],
    ['GET /%zz HTTP/1.1', 404],
    ['GET http://127.0.0.1/ipfs/{cid} HTTP/1.1', 200],
    ['GET http://{cid}.ipfs.dweb.test HTTP/1.1', 200],
    ['GET * HTTP/1.1', 404],
    ['PROPFIND /ipfs/{cid} HTTP/1.1', 405],
    ['POST /api/v0/cat/{cid} HTTP/1.1\r\nContent-Type: application/json', 200],
  ])('%s', async (line, status) => {
    const { app, addFile } = createTestGateway()
    const cid = await addFile('content')
    const port = await listen(app)
    const text = await talk(port, `${line.replace('{cid}', `${cid}`)}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
    expect(text.split('\r\n')[0]).toContain(` ${status} `)
    if (status === 200) expect(text.endsWith('content')).toBe(true)
    else expect(text).not.toContain('content\r\n')
  })
})
