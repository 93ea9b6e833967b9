import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createTestGateway } from '../test-gateway.fixture.ts'

const headEnd = '\r\n\r\n'

/** A client that sees each byte of what it sends and receives. */
type Line = {
  socket: Socket
  /** Sends bytes and returns the next response: its headers and as much of the body as they announce. */
  ask(bytes: string): Promise<{ head: string; body: string }>
}

async function openLine(port: number): Promise<Line> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  const take = (): { head: string; body: string } | undefined => {
    const end = received.indexOf(headEnd)
    if (end < 0) return undefined
    const head = received.slice(0, end + headEnd.length)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    if (received.length < head.length + length) return undefined
    const body = received.slice(head.length, head.length + length)
    received = received.slice(head.length + length)
    return { head, body }
  }
  return {
    socket,
    async ask(bytes) {
      socket.write(bytes)
      for (;;) {
        const answer = take()
        if (answer !== undefined) return answer
        await once(socket, 'data', { signal: AbortSignal.timeout(10_000) })
      }
    },
  }
}

async function start(settings: Parameters<typeof createTestGateway>[0] = {}) {
  const gateway = createTestGateway(settings)
  await gateway.app.listen({ port: 0, host: '127.0.0.1' })
  const address = gateway.app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const parsed = { count: 0 }
  gateway.app.server.prependListener('request', () => {
    parsed.count++
  })
  return { ...gateway, parsed, port: address.port, [Symbol.asyncDispose]: () => gateway.app.close() }
}

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n')

/** Repeats a request until its bytes are known. */
async function makeRepeated(port: number, request: string): Promise<void> {
  const line = await openLine(port)
  for (let asked = 0; asked < 3; asked++) await line.ask(request)
  line.socket.destroy()
}

/** Responses without the second in which they were sent. */
const undated = ({ head, body }: { head: string; body: string }): string => head.replace(/^date: .*$/im, 'date') + body

it('a repeated request gets the same bytes without being parsed, on any connection already in use', async () => {
  const sent: number[] = []
  await using gateway = await start({ onSent: (_root, bytes) => sent.push(bytes) })
  const request = get(`/ipfs/${await gateway.addFile('popular')}`, 'Accept: */*')
  const line = await openLine(gateway.port)
  const first = await line.ask(request)
  const second = await line.ask(request)
  expect(gateway.parsed.count).toBe(2)
  const third = await line.ask(request)
  expect(gateway.parsed.count).toBe(2)
  expect(undated(second)).toBe(undated(first))
  expect(undated(third)).toBe(undated(first))
  expect(third.head).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/m)
  expect(third.body).toBe('popular')

  const other = await openLine(gateway.port)
  await other.ask(request)
  expect(gateway.parsed.count).toBe(3)
  expect(undated(await other.ask(request))).toBe(undated(first))
  expect(gateway.parsed.count).toBe(3)
  // Sent bytes are counted alike.
  expect(sent).toHaveLength(5)
  expect(new Set(sent)).toEqual(new Set([first.head.length + first.body.length]))
  line.socket.destroy()
  other.socket.destroy()
})

it.each(['Range: bytes=0-2', 'Connection: close', 'If-None-Match: "other"', 'Content-Length: 0'])(
  'a request with %s is parsed each time',
  async (header) => {
    await using gateway = await start()
    const path = `/ipfs/${await gateway.addFile('popular')}`
    for (let asked = 1; asked <= 3; asked++) {
      const line = await openLine(gateway.port)
      await line.ask(get(path))
      const before = gateway.parsed.count
      expect((await line.ask(get(path, header))).body).toBe(header.startsWith('Range') ? 'pop' : 'popular')
      expect(gateway.parsed.count).toBe(before + 1)
      line.socket.destroy()
    }
  },
)

it('a connection that asks to stay open may repeat', async () => {
  await using gateway = await start()
  const request = get(`/ipfs/${await gateway.addFile('popular')}`, 'Connection: keep-alive')
  const line = await openLine(gateway.port)
  for (let asked = 0; asked < 5; asked++) expect((await line.ask(request)).body).toBe('popular')
  expect(gateway.parsed.count).toBe(2)
  line.socket.destroy()
})

it('answers from the store again after a second', async () => {
  let time = Date.now()
  await using gateway = await start({ now: () => time })
  const cid = await gateway.addFile('popular')
  const request = get(`/ipfs/${cid}`)
  const line = await openLine(gateway.port)
  for (let asked = 0; asked < 3; asked++) await line.ask(request)
  expect(gateway.parsed.count).toBe(2)
  time += 1000
  gateway.blocks.clear()
  expect((await line.ask(request)).head).toMatch(/^HTTP\/1\.1 404/)
  expect(gateway.parsed.count).toBe(3)
  line.socket.destroy()
})

it('does not mistake the body of a request for a repeated request', async () => {
  await using gateway = await start()
  const request = get(`/ipfs/${await gateway.addFile('popular')}`)
  await makeRepeated(gateway.port, request)

  const line = await openLine(gateway.port)
  await line.ask(request)
  const other = `/ipfs/${await gateway.addFile('other')}`
  line.socket.write(
    `POST ${other} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: ${request.length}${headEnd}`,
  )
  await new Promise((done) => setTimeout(done, 50))
  // The two packets get one response, about the other content.
  const answer = await line.ask(request)
  expect(answer.body).not.toContain('popular')
  expect((await line.ask(get(other))).body).toBe('other')
  line.socket.destroy()
})

it('a request in two packets is one request, wherever it is split', async () => {
  await using gateway = await start()
  const request = get(`/ipfs/${await gateway.addFile('popular')}`)
  await makeRepeated(gateway.port, request)
  for (let at = 1; at < request.length; at += 7) {
    const line = await openLine(gateway.port)
    await line.ask(request)
    line.socket.write(request.slice(0, at))
    await new Promise((done) => setImmediate(done))
    expect((await line.ask(request.slice(at))).body).toBe('popular')
    expect((await line.ask(request)).body).toBe('popular')
    line.socket.destroy()
  }
})

it('treats a line that repeats the head of a request within another as a header of that one', async () => {
  await using gateway = await start()
  const [popular, other] = await Promise.all(['popular', 'other'].map((text) => gateway.addFile(text)))
  const request = get(`/ipfs/${popular}`)
  const line = await openLine(gateway.port)
  for (let asked = 0; asked < 3; asked++) await line.ask(request)
  // The head of another request continues with these bytes, so that its first line becomes the value of a header.
  line.socket.write(`GET /ipfs/${other} HTTP/1.1\r\nX-Note: `)
  await new Promise((done) => setTimeout(done, 50))
  expect((await line.ask(request)).body).toBe('other')
  line.socket.destroy()
})

it('a closing gateway answers pending requests, and ends the connection', async () => {
  const gateway = await start()
  const request = get(`/ipfs/${await gateway.addFile('popular')}`)
  const line = await openLine(gateway.port)
  for (let asked = 0; asked < 3; asked++) await line.ask(request)
  const gone = once(line.socket, 'close', { signal: AbortSignal.timeout(10_000) })
  await gateway[Symbol.asyncDispose]()
  await gone
})

it('answers several requests in one packet in order, also after repeated ones', async () => {
  await using gateway = await start()
  const [popular, other] = await Promise.all(['popular', 'other'].map((text) => gateway.addFile(text)))
  const request = get(`/ipfs/${popular}`)
  const line = await openLine(gateway.port)
  for (let asked = 0; asked < 3; asked++) await line.ask(request)
  expect((await line.ask(request + get(`/ipfs/${other}`))).body).toBe('popular')
  expect((await line.ask(request)).body).toBe('other')
  expect((await line.ask(request)).body).toBe('popular')
  expect((await line.ask(get(`/ipfs/${other}`))).body).toBe('popular')
  line.socket.destroy()
})
