// What a program may do with the buffers of a stream during its upload.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createClient } from '../client.ts'
import { computeCid } from './compute-cid.ts'
import { uploadCar } from './upload-car.ts'
import { uploadStream } from './upload-file.ts'

/** More than the buffers of both sockets hold. */
const pieceBytes = 64 * 1024 * 1024

test.each([
  ['a stream', uploadStream],
  ['a CAR', uploadCar],
])('%s may reuse its buffer for the next piece', async (_what, upload) => {
  const arrived = Promise.withResolvers<IncomingMessage>()
  const received: Buffer[] = []
  let hash = ''
  const server = createServer((request, response) => {
    arrived.resolve(request)
    request.on('end', () => response.end(JSON.stringify({ Name: 'blob', Hash: hash, Size: '1' })))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const readOn = Promise.withResolvers<void>()
    const source = async function* () {
      const buffer = new Uint8Array(pieceBytes)
      yield buffer.fill(7)
      buffer.fill(8)
      readOn.resolve()
      yield buffer.subarray(0, 16)
    }
    hash = (await computeCid(source())).cid
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const network = { name: 'test', api: url, upload: url, gateway: url }
    const uploaded = upload(createClient({ network, apiKey: 'key' }), source())
    const request = await arrived.promise
    // The service continues to read only after the source does, when the first piece is still in transit.
    await readOn.promise
    request.on('data', (bytes: Buffer) => received.push(bytes))
    expect(await uploaded).toMatchObject({ cid: hash })
    const all = Buffer.concat(received)
    const start = all.indexOf('\r\n\r\n') + 4
    const end = start + pieceBytes
    expect(all.subarray(start, end).every((byte) => byte === 7)).toBe(true)
    expect([...all.subarray(end, end + 16)]).toEqual(Array.from({ length: 16 }, () => 8))
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
