// Names beside the reference implementation: it verifies our records, imports our keys, resolves and publishes through our
// delegated routing, and our gateway follows what it published.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { type Kubo, startKubo } from './kubo.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

let network: TestNetwork
let kubo: Kubo
let apiKey: string
beforeAll(async () => {
  network = await createTestNetwork()
  ;({ apiKey } = await createTestKey(network))
  const { api } = network.profile
  kubo = await startKubo({
    isOnline: true,
    config: {
      Routing: { Type: 'delegated', DelegatedRouters: [api] },
      Ipns: { DelegatedPublishers: [`${api}/routing/v1/ipns`] },
      Addresses: { Swarm: ['/ip4/127.0.0.1/tcp/0'] },
      HTTPRetrieval: { Enabled: true, Allowlist: ['127.0.0.1'] },
    },
  })
})
afterAll(async () => {
  await kubo?.[Symbol.asyncDispose]()
  await network?.[Symbol.asyncDispose]()
})

async function call<T>(path: string, body: unknown): Promise<T> {
  const answer = await fetch(`${network.profile.api}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  const json: T = await answer.json()
  return json
}
type Published = { sequence: string; record: string; name: string }
const create = () => call<{ name: string }>('/api/names', { label: null })
const publish = (name: string, value = cid) => call<Published>(`/api/names/${name}/records`, { value })
const ipfs = async (...args: string[]) => (await kubo.run(args)).toString().trim()

test('Kubo verifies our records with both signatures, and reads the same values', async () => {
  const { name } = await create()
  const { record, sequence } = await publish(name)
  const path = join(kubo.folder, 'ours.ipns-record')
  await writeFile(path, Buffer.from(record, 'base64'))
  const inspected = JSON.parse(await ipfs('name', 'inspect', `--verify=${name}`, '--enc=json', path))
  expect(inspected.Validation).toMatchObject({ Valid: true, Name: name })
  expect(inspected.Entry).toMatchObject({ Value: `/ipfs/${cid}`, Sequence: Number(sequence), TTL: 300_000_000_000 })
  expect(inspected.SignatureType).toBe('V1+V2')
})

test('Kubo resolves our names through our delegated routing', async () => {
  const { name } = await create()
  await publish(name)
  expect(await ipfs('name', 'resolve', '--nocache', name)).toBe(`/ipfs/${cid}`)
  await publish(name, `/ipfs/${cid}/below`)
  expect(await ipfs('name', 'resolve', '--nocache', name)).toBe(`/ipfs/${cid}/below`)
})

test.each(['libp2p', 'pem'] as const)(
  'a key exported as %s publishes in Kubo above the sequence of the service, and we follow',
  async (format) => {
    const { name } = await create()
    const before = await publish(name)
    const { key } = await call<{ key: string }>(`/api/names/${name}/key`, { format })
    const path = join(kubo.folder, `key.${format}`)
    await writeFile(path, format === 'libp2p' ? Buffer.from(key, 'base64') : key)
    const kind = format === 'libp2p' ? 'libp2p-protobuf-cleartext' : 'pem-pkcs8-cleartext'
    const imported = await ipfs('key', 'import', `--format=${kind}`, '--ipns-base=base36', format, path)
    expect(imported).toBe(name)
    await ipfs('name', 'publish', `--key=${format}`, '--resolve=false', '--ttl=42s', `/ipfs/${cid}/from-kubo`)
    const url = `${network.profile.gateway}/ipns/${name}?format=ipns-record`
    const shown = await fetch(url)
    expect(shown.headers.get('cache-control')).toBe('public, max-age=42')
    const resolved: Published & { value: string } = await (
      await fetch(`${network.profile.api}/api/names/${name}/record`)
    ).json()
    expect(resolved.value).toBe(`/ipfs/${cid}/from-kubo`)
    expect(BigInt(resolved.sequence)).toBeGreaterThan(BigInt(before.sequence))
    const again = await publish(name)
    expect(BigInt(again.sequence)).toBeGreaterThan(BigInt(resolved.sequence))
  },
)

test('Kubo finds our gateway as the provider of what is stored here', async () => {
  const form = new FormData()
  form.set('file', new Blob(['found through routing']), 'a.txt')
  const headers = { authorization: `Bearer ${apiKey}` }
  const added = await fetch(`${network.profile.upload}/api/v0/add`, { method: 'POST', body: form, headers })
  const { Hash }: { Hash: string } = await added.json()
  const provider: { Providers: { ID: string }[] } = await (
    await fetch(`${network.profile.api}/routing/v1/providers/${Hash}`)
  ).json()
  expect(await ipfs('routing', 'findprovs', '--num-providers=1', Hash)).toBe(provider.Providers[0]?.ID)
})
