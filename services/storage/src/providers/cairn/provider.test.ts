import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodePieceCid, hashPiece } from '@cairn/pieces'
import { expect, test } from 'vitest'
import { createCairnProvider } from './provider.ts'

test('a response that ignores the requested range is not left open', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  // Like a provider behind a proxy that removes the header: it sends the whole piece, however large.
  const server = createServer((_request, response) => {
    response.once('close', resolve)
    response.writeHead(200)
    response.write(Buffer.alloc(1024))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = createCairnProvider(
    { kind: 'cairn', name: 'one', url, publicUrl: url, key: 'x'.repeat(16) },
    { now: () => 0 },
  )
  try {
    const { piece } = await hashPiece([new Uint8Array(5000)])
    const { signal } = new AbortController()
    const bytes = provider.retrieve(encodePieceCid(piece), { start: 0, end: 100 }, { signal })
    await expect(Array.fromAsync(bytes)).rejects.toThrow('ignored the requested range')
    await closed
  } finally {
    server.closeAllConnections()
    server.close()
  }
}, 20_000)

test('a response that is too long is reported as such', async () => {
  const server = createServer((_request, response) => response.end(Buffer.alloc(5 * 1024 * 1024, 'x')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = createCairnProvider(
    { kind: 'cairn', name: 'one', url, publicUrl: url, key: 'x'.repeat(16) },
    { now: () => 0 },
  )
  try {
    const { signal } = new AbortController()
    await expect(provider.ping({ signal })).rejects.toThrow('The storage provider one returned too long a response')
  } finally {
    server.closeAllConnections()
    server.close()
  }
}, 20_000)
