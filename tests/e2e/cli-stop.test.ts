// Downloads that are stopped from the terminal.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { join } from 'node:path'
import { MIB } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliHome, createCliHome } from './cli-home.ts'

let home: CliHome
beforeAll(async () => {
  home = await createCliHome()
})
afterAll(() => home?.[Symbol.asyncDispose]())

/** A gateway that forwards another one, but limits the bytes of a response, and reports when it holds one. */
async function startHoldingGateway(gateway: string, maxBytes: number, onHold: () => void) {
  const server = createServer((incoming, outgoing) => {
    const request = get(`${gateway}${incoming.url}`, { headers: { accept: incoming.headers.accept } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] })
      let sentBytes = 0
      answer.on('data', (piece: Buffer) => {
        outgoing.write(piece.subarray(0, maxBytes - sentBytes))
        sentBytes = Math.min(maxBytes, sentBytes + piece.length)
        if (sentBytes < maxBytes) return
        answer.pause()
        onHold()
      })
      answer.on('end', () => outgoing.end())
      answer.on('error', () => outgoing.destroy())
    })
    outgoing.on('close', () => request.destroy())
    request.on('error', () => outgoing.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

test('Ctrl-C in the middle of a download keeps what was received, and says how to resume', async () => {
  const { network, folder, cairn } = home
  const content = randomBytes(4 * MIB)
  writeFileSync(join(folder, 'large.bin'), content)
  const uploaded: { cid: string } = JSON.parse((await cairn(['upload', 'large.bin', '--json'])).out)
  let stop: () => void = () => undefined
  await using gateway = await startHoldingGateway(network.profile.gateway, 2 * MIB, () => stop())
  const held = join(folder, 'held.json')
  writeFileSync(held, JSON.stringify({ ...network.profile, gateway: gateway.url }))

  const part = join(folder, 'copy.bin.part')
  const stopped = await cairn(['get', uploaded.cid, '-o', 'copy.bin'], {
    env: { CAIRN_NETWORK: held },
    started: (child) => {
      stop = () => {
        stop = () => undefined
        // Sent bytes have not necessarily arrived.
        const looking = setInterval(() => {
          if ((statSync(part, { throwIfNoEntry: false })?.size ?? 0) <= MIB) return
          clearInterval(looking)
          child.kill('SIGINT')
        }, 10)
      }
    },
  })
  expect(stopped).toMatchObject({
    code: 130,
    out: '',
    err: expect.stringContaining('copy.bin.part contains what was received'),
  })
  const keptBytes = statSync(part).size
  expect(keptBytes).toBeGreaterThan(MIB)
  expect(readFileSync(part).equals(content.subarray(0, keptBytes))).toBe(true)

  expect((await cairn(['get', uploaded.cid, '-o', 'copy.bin'])).code).toBe(0)
  expect(readFileSync(join(folder, 'copy.bin')).equals(content)).toBe(true)
})

test('Ctrl-C before anything has arrived does not suggest replacing anything', async () => {
  const { network, folder, cairn } = home
  writeFileSync(join(folder, 'wanted.txt'), 'stored')
  writeFileSync(join(folder, 'mine.txt'), 'mine')
  const uploaded: { cid: string } = JSON.parse((await cairn(['upload', 'wanted.txt', '--json'])).out)
  let stop: () => void = () => undefined
  await using gateway = await startHoldingGateway(network.profile.gateway, 0, () => stop())
  const held = join(folder, 'held-at-once.json')
  writeFileSync(held, JSON.stringify({ ...network.profile, gateway: gateway.url }))
  const stopped = await cairn(['get', uploaded.cid, '-o', 'mine.txt'], {
    env: { CAIRN_NETWORK: held },
    started: (child) => {
      stop = () => child.kill('SIGINT')
    },
  })
  expect(stopped).toMatchObject({ code: 130, out: '', err: '' })
  expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('mine')
})
