import { encodePieceCid, hashPiece } from '@cairn/pieces'
import { expect, test } from 'vitest'
import { listen } from '../../../../../tests/listen.ts'
import { createCairnProvider } from './provider.ts'

test('a response that ignores the requested range is not left open', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  // Like a provider behind a proxy that removes the header: it sends the whole piece, however large.
  await using server = await listen((_request, response) => {
    response.once('close', resolve)
    response.writeHead(200)
    response.write(Buffer.alloc(1024))
  })
  const { piece } = await hashPiece([new Uint8Array(5000)])
  const { signal } = new AbortController()
  const bytes = createClientOf(server.url).retrieve(encodePieceCid(piece), { start: 0, end: 100 }, { signal })
  await expect(Array.fromAsync(bytes)).rejects.toThrow('ignored the requested range')
  await closed
}, 20_000)

test('a response that is too long is reported as such', async () => {
  await using server = await listen((_request, response) => response.end(Buffer.alloc(5 * 1024 * 1024, 'x')))
  const { signal } = new AbortController()
  await expect(createClientOf(server.url).ping({ signal })).rejects.toThrow(
    'The storage provider one returned too long a response',
  )
}, 20_000)

function createClientOf(url: string) {
  return createCairnProvider({ kind: 'cairn', name: 'one', url, publicUrl: url, key: 'x'.repeat(16) }, { now: () => 0 })
}
