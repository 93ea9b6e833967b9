import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createTestGateway } from '../test-gateway.fixture.ts'

/** Sends requests in one packet on one connection and returns everything that comes back. */
async function sendTogether(port: number, paths: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const requests = paths.map((path, index) => {
    const connection = index === paths.length - 1 ? 'close' : 'keep-alive'
    return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: ${connection}\r\n\r\n`
  })
  socket.write(requests.join(''))
  let received = ''
  for await (const chunk of socket) received += String(chunk)
  return received
}

async function listen(app: ReturnType<typeof createTestGateway>['app']): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

it('repeated and new responses keep the order of their requests on one connection', async () => {
  const { app, addFile, reads } = createTestGateway()
  const [popular, other, fresh] = await Promise.all(['popular', 'other', 'fresh'].map((text) => addFile(text)))
  const port = await listen(app)
  await sendTogether(port, [`/ipfs/${popular}`, `/ipfs/${other}`])
  const readBefore = reads.count
  expect(await sendTogether(port, [`/ipfs/${popular}`, `/ipfs/${other}`])).toMatch(/other$/)
  expect(reads.count).toBe(readBefore)
  const received = await sendTogether(
    port,
    [popular, fresh, other, popular].map((cid) => `/ipfs/${cid}`),
  )
  const bodies = received.match(/\r\n\r\n(popular|other|fresh)/g)?.map((body) => body.trim())
  expect(bodies).toEqual(['popular', 'fresh', 'other', 'popular'])
  await app.close()
})

it('a client that disconnects before its repeated response leaves the others theirs', async () => {
  const { app, addFile } = createTestGateway()
  const path = `/ipfs/${await addFile('popular')}`
  const port = await listen(app)
  await sendTogether(port, [path])
  const gone = connect(port, '127.0.0.1')
  await once(gone, 'connect')
  gone.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  gone.resetAndDestroy()
  const answers = await Promise.all(Array.from({ length: 20 }, () => sendTogether(port, [path])))
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 .*popular$/s)
  await app.close()
})
