import { once } from 'node:events'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { areAllPublic, isPublicAddress, requestOutside } from './request-outside.ts'

test('recognises public addresses in every notation', () => {
  for (const address of ['1.1.1.1', '172.15.0.1', '172.32.0.1', '100.128.0.1', '::ffff:8.8.8.8', '2606:4700::1111']) {
    expect(isPublicAddress(address), address).toBe(true)
  }
  for (const address of [
    ...['127.0.0.1', '127.255.0.9', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
    ...['100.64.0.1', '0.0.0.0', '224.0.0.1', '255.255.255.255', '198.18.0.1', '::1', '::', '::ffff:127.0.0.1'],
    ...['::ffff:7f00:1', '::127.0.0.1', 'fe80::1', 'fd00::1', 'ff02::1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::1'],
    ...['localhost', '', '127.1', '2130706433'],
  ]) {
    expect(isPublicAddress(address), address).toBe(false)
  }
})

test('reaches an internal server only if that is allowed, and returns a redirect as an answer', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.writeHead(302, { location: '/elsewhere' }).end('body')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const signal = new AbortController().signal
  try {
    for (const url of [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      // The URL parser writes these as 127.0.0.1.
      `http://2130706433:${port}/`,
      `http://0x7f.1:${port}/`,
    ]) {
      const refused = requestOutside(new URL(url), { signal, allowsPrivate: false })
      await expect(refused, url).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' })
    }
    expect(asked).toEqual([])
    const answer = await requestOutside(new URL(`http://localhost:${port}/a`), { signal, allowsPrivate: true })
    expect([answer.statusCode, asked]).toEqual([302, ['/a']])
    answer.destroy()
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a name with one private address is not public', () => {
  const [outside, inside] = [
    { address: '1.1.1.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ]
  expect(areAllPublic([outside, outside])).toBe(true)
  expect(areAllPublic([outside, inside])).toBe(false)
  expect(areAllPublic([inside, outside])).toBe(false)
})

test('does not use the open connection of another request', async () => {
  const server = createServer((_request, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(`http://localhost:${port}/`)
  const signal = new AbortController().signal
  try {
    const [response] = await once(get(url), 'response')
    await once(response.resume(), 'end')
    const refused = requestOutside(url, { signal, allowsPrivate: false })
    await expect(refused).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a server that switches protocols is a failure', async () => {
  const server = createServer((request) => {
    request.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const { signal } = new AbortController()
    const refused = requestOutside(new URL(`http://127.0.0.1:${port}/`), {
      method: 'POST',
      signal,
      allowsPrivate: true,
    })
    await expect(refused).rejects.toThrow('the server sent no answer')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
