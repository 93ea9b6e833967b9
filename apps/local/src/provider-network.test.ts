import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createNetwork, type NetworkOptions } from './network.ts'

let home = ''
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'cairn-local-')), 'home')
})
afterEach(() => rmSync(join(home, '..'), { recursive: true, force: true }))

const options = (environment = {}): NetworkOptions => ({
  home,
  ports: 'any',
  chain: 'none',
  providers: 2,
  environment: { CAIRN_LOG_LEVEL: 'silent', ...environment },
})

test('the profile lists the providers of a network, each with its own stable id', async () => {
  const ids = async () => {
    await using network = await createNetwork(options())
    const { providers = [] } = network.profile
    for (const { id, url } of providers) {
      expect(await (await fetch(url)).json()).toMatchObject({ id, usedBytes: 0 })
    }
    const served: unknown = await (await fetch(`${network.profile.api}/.well-known/cairn.json`)).json()
    expect(served).toMatchObject({ providers })
    // The settings of the storage service name them.
    expect(network.storage.context.config.providers.map(({ name }) => name)).toEqual(['provider-1', 'provider-2'])
    return providers.map(({ id }) => id)
  }
  const first = await ids()
  expect(new Set(first).size).toBe(2)
  expect(await ids()).toEqual(first)
  for (const name of ['secret.key', 'access.key']) {
    expect((statSync(join(home, 'providers', '1', name)).mode & 0o777).toString(8)).toBe('600')
  }
})

test('a provider fetches only from the storage service of its network', async () => {
  await using network = await createNetwork(options())
  const { context, url } = { url: network.profile.providers?.[0]?.url, context: network.storage.context }
  const [settings] = context.config.providers
  const key = settings?.key ?? ''
  const other = createServer((_request, response) => response.end('x'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const offer = (from: string) =>
    fetch(`${url}/pieces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ piece, url: from }),
    })
  // The piece CID of 127 zero bytes.
  const piece = 'bafkzcibcaabdomn3tgwgrh3g532zopskstnbrd2n3sxfqbze7rxt7vqn7veigmy'
  try {
    const refused = await offer(`http://127.0.0.1:${(other.address() as AddressInfo).port}/x`)
    expect(refused.headers.get('x-cairn-code')).toBe('SOURCE_NOT_ALLOWED')
    expect((await offer(`${network.profile.api}/x`)).status).toBe(202)
  } finally {
    other.close()
  }
})

test('starts none of these when the settings list other providers', async () => {
  await using network = await createNetwork(options({ CAIRN_PROVIDERS: '[]' }))
  expect(network.providers).toEqual([])
  expect(network.profile.providers).toBeUndefined()
})
