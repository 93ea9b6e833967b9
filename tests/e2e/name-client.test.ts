// Names with the SDK against the local network: kept by the service, or by their owner alone.
import {
  CairnError,
  type Client,
  createClient,
  createName,
  createNameKey,
  exportName,
  exportNameKey,
  getName,
  importNameKey,
  listNameHistory,
  listNames,
  type NameState,
  type PastRecord,
  publishName,
  publishSigned,
  removeName,
  renameName,
  resolveName,
  uploadFolder,
  uploadText,
} from '@cairn/sdk'
import { multihashToIPNSRoutingKey } from 'ipns'
import { ipnsValidator } from 'ipns/validator'
import { base32 } from 'multiformats/bases/base32'
import { base36 } from 'multiformats/bases/base36'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

let network: TestNetwork
let client: Client
/** Has no stored keys and no state. */
let stranger: () => Client
const cids: string[] = []
beforeAll(async () => {
  network = await createTestNetwork()
  client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  stranger = () => createClient({ network: network.profile })
  for (const text of ['one', 'two', 'three']) cids.push((await uploadText(client, text)).cid)
})
afterAll(() => network?.[Symbol.asyncDispose]())

const pathOf = (index: number) => `/ipfs/${cids[index]}`
async function historyOf(name: string, from = client): Promise<PastRecord[]> {
  return Array.fromAsync(listNameHistory(from, name))
}
async function validate(name: string, bytes: Uint8Array): Promise<void> {
  const { multihash } = CID.parse(name, base36)
  if (multihash.code !== 0x00) throw new Error('not an Ed25519 name')
  await ipnsValidator(multihashToIPNSRoutingKey({ ...multihash, code: multihash.code }), bytes)
}

test('creates, publishes, resolves, renames and removes a name of the service', async () => {
  const made = await createName(client, { label: 'site' })
  expect(made).toMatchObject({ label: 'site', value: null, sequence: null, keyHeld: 'service' })
  await expect(resolveName(stranger(), made.name)).rejects.toMatchObject({ code: 'NAME_NOT_FOUND' })

  const first = await publishName(client, made.name, cids[0] ?? '')
  const second = await publishName(client, made.id, pathOf(1), { lifetimeMs: 3_600_000, ttlMs: 60_000 })
  expect(first.value).toBe(pathOf(0))
  expect(second.sequence).toBeGreaterThan(first.sequence)
  expect(second.ttlMs).toBe(60_000)
  expect(Math.abs(second.validUntil - Date.now() - 3_600_000)).toBeLessThan(60_000)
  await validate(made.name, second.bytes)

  const found = await resolveName(stranger(), made.name)
  expect(found).toMatchObject({
    name: made.name,
    value: pathOf(1),
    cid: cids[1],
    sequence: second.sequence,
    ttlMs: 60_000,
  })
  expect(found.records).toHaveLength(1)
  // Other forms of the name lead to the same target.
  const { multihash } = CID.parse(made.name, base36)
  for (const form of [`/ipns/${made.name}`, `ipns://${made.name}`, CID.createV1(0x72, multihash).toString(base32)]) {
    expect((await resolveName(stranger(), form)).value).toBe(pathOf(1))
    expect((await getName(client, form)).name).toBe(made.name)
  }

  expect((await historyOf(made.name)).map(({ value }) => value)).toEqual([pathOf(1), pathOf(0)])
  expect((await historyOf(made.id))[0]).toMatchObject({
    name: made.name,
    sequence: second.sequence,
    bytes: second.bytes,
  })
  expect(await renameName(client, made.name, 'home')).toMatchObject({ label: 'home', name: made.name })
  expect(await renameName(client, made.id, null)).toMatchObject({ label: null })
  await removeName(client, made.name)
  await expect(getName(client, made.name)).rejects.toMatchObject({ code: 'NAME_NOT_FOUND' })
})

test('reads paths in a folder below a name, and follows names that lead to names', async () => {
  const { cid } = await uploadFolder(client, [{ path: 'a/b.txt', content: 'below' }])
  const own = await createNameKey()
  const [inner, outer, around] = [await createName(client), await createName(client), await createName(client)]
  await publishName(client, inner.name, `/ipfs/${cid}/a`)
  await publishName(client, outer.name, inner.name, { ttlMs: 7_000 })
  const found = await resolveName(stranger(), `${outer.name}/b.txt`)
  expect(found).toMatchObject({ name: outer.name, value: `/ipfs/${cid}/a/b.txt`, cid, ttlMs: 7_000 })
  expect(found.records.map(({ name }) => name)).toEqual([outer.name, inner.name])
  expect(await resolveName(stranger(), outer.name, { recursive: false })).toMatchObject({
    value: `/ipns/${inner.name}`,
    cid: null,
  })
  // Names that lead to each other lead nowhere.
  await publishName(client, inner.name, `/ipns/${around.name}/deeper`)
  await publishName(client, around.name, outer.name)
  await expect(resolveName(stranger(), around.name)).rejects.toMatchObject({ code: 'NAME_TOO_DEEP' })
  for (const value of [around.name, `/ipns/${around.name}/deeper`]) {
    await expect(publishName(client, around.name, value)).rejects.toMatchObject({ code: 'INVALID_NAME_VALUE' })
    await expect(publishSigned(client, own, value.replace(around.name, own.name))).rejects.toMatchObject({
      code: 'INVALID_NAME_VALUE',
    })
  }
  // A domain has no signing key.
  await publishName(client, around.name, '/ipns/example.org')
  await expect(resolveName(stranger(), around.name)).rejects.toMatchObject({ code: 'INVALID_NAME' })
  expect(await resolveName(stranger(), around.name, { recursive: false })).toMatchObject({ value: '/ipns/example.org' })
})

test('publishes a local key with an account, and lists it with its history', async () => {
  const key = await createNameKey()
  const first = await publishSigned(client, key, cids[0] ?? '', { label: 'mine' })
  const second = await publishSigned(client, key, pathOf(1), { lifetimeMs: 3_600_000, ttlMs: 1000 })
  expect(second.sequence).toBeGreaterThan(first.sequence)
  const listed: NameState[] = await Array.fromAsync(listNames(client))
  expect(listed.find(({ name }) => name === key.name)).toMatchObject({ label: 'mine', keyHeld: 'owner', cid: cids[1] })
  expect((await historyOf(key.name)).map(({ sequence }) => sequence)).toEqual([second.sequence, first.sequence])
  expect(await resolveName(stranger(), key.name)).toMatchObject({ value: pathOf(1), ttlMs: 1000 })
  await expect(publishName(client, key.name, pathOf(2))).rejects.toMatchObject({ code: 'NAME_KEY_WITH_OWNER' })
  await expect(exportName(client, key.name)).rejects.toMatchObject({ code: 'NAME_KEY_WITH_OWNER' })
  // From another machine that knows only the key: above sequences that it has never seen.
  const elsewhere = createClient({ network: network.profile })
  const third = await publishSigned(elsewhere, await importNameKey(await exportNameKey(key)), pathOf(2))
  expect(third.sequence).toBeGreaterThan(second.sequence)
  expect(await resolveName(client, key.name)).toMatchObject({ value: pathOf(2) })
  // The account may remove it; the name still belongs to its owner.
  await removeName(client, key.name)
  const fourth = await publishSigned(elsewhere, key, pathOf(0))
  expect(fourth.sequence).toBeGreaterThan(third.sequence)
})

test('publishes a local key without any account', async () => {
  const key = await createNameKey()
  const nobody = stranger()
  await publishSigned(nobody, key, pathOf(0))
  await publishSigned(nobody, key, pathOf(1))
  expect(await resolveName(stranger(), key.name)).toMatchObject({ value: pathOf(1) })
  await expect(publishSigned(nobody, key, pathOf(1), { label: 'x' })).rejects.toMatchObject({ code: 'NO_API_KEY' })
})

test('a key signs for its name in any form, and for no other name', async () => {
  const key = await createNameKey()
  const cid = CID.parse(key.name, base36)
  const peerId = base58btc.encode(cid.multihash.bytes).slice(1)
  for (const name of [peerId, cid.toString(base32), `/ipns/${peerId}`, `ipns://${key.name}`, `${key.name}/deep`]) {
    expect((await publishSigned(client, key, pathOf(0), { name })).name, name).toBe(key.name)
  }
  const other = await createNameKey()
  await expect(publishSigned(client, key, pathOf(1), { name: other.name })).rejects.toMatchObject({
    code: 'INVALID_NAME_KEY',
    message: `The key belongs to ${key.name}, not to ${other.name}`,
  })
  await expect(publishSigned(client, key, pathOf(1), { name: 'site' })).rejects.toMatchObject({ code: 'INVALID_NAME' })
  expect((await resolveName(stranger(), peerId)).value).toBe(pathOf(0))
})

test('uses requested sequences, and none goes back', async () => {
  const key = await createNameKey()
  const maxSequence = 2n ** 64n - 1n
  await publishSigned(client, key, pathOf(0), { sequence: 5n })
  await expect(publishSigned(client, key, pathOf(1), { sequence: 4n })).rejects.toMatchObject({
    code: 'IPNS_RECORD_OUTDATED',
  })
  expect((await resolveName(stranger(), key.name)).value).toBe(pathOf(0))
  expect((await publishSigned(client, key, pathOf(1), { sequence: maxSequence })).sequence).toBe(maxSequence)
  await expect(publishSigned(client, key, pathOf(2))).rejects.toMatchObject({ code: 'IPNS_RECORD_OUTDATED' })
  const held = await createName(client)
  expect((await publishName(client, held.name, pathOf(0), { sequence: 2n ** 63n })).sequence).toBe(2n ** 63n)
  await expect(publishName(client, held.name, pathOf(0), { sequence: 1n })).rejects.toMatchObject({
    code: 'IPNS_RECORD_OUTDATED',
  })
})

test('runs concurrent publications, from here and elsewhere, one after the other', async () => {
  const key = await createNameKey()
  const elsewhere = createClient({
    network: network.profile,
    ...(client.apiKey === undefined ? {} : { apiKey: client.apiKey }),
  })
  const turns = Array.from({ length: 12 }, (_none, turn) => ({ from: turn % 2 === 0 ? client : elsewhere, turn }))
  const records = await Promise.all(turns.map(({ from, turn }) => publishSigned(from, key, `${pathOf(0)}/${turn}`)))
  expect(new Set(records.map(({ sequence }) => sequence)).size).toBe(12)
  const newest = records.toSorted((a, b) => (a.sequence < b.sequence ? 1 : -1))
  const past = await historyOf(key.name)
  expect(past.map(({ value }) => value)).toEqual(newest.map(({ value }) => value))
  expect((await resolveName(stranger(), key.name)).value).toBe(newest[0]?.value)
})

test('a signal aborts a publication that waits for another, and delays none after it', async () => {
  const key = await createNameKey()
  const stop = new AbortController()
  const first = publishSigned(client, key, pathOf(0))
  const waiting = publishSigned(client, key, pathOf(1), { signal: stop.signal })
  const last = publishSigned(client, key, pathOf(2))
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
  expect((await last).sequence).toBeGreaterThan((await first).sequence)
  expect((await historyOf(key.name)).map(({ value }) => value)).toEqual([pathOf(2), pathOf(0)])
})

test('exports a key from the service to its owner, who then publishes above the service’s sequence', async () => {
  const held = await createName(client)
  const published = await publishName(client, held.name, pathOf(0))
  for (const format of ['libp2p', 'pem'] as const) {
    const exported = await exportName(client, held.name, { format })
    expect(exported).toMatchObject({ name: held.name, format })
    expect((await importNameKey(exported.key)).name).toBe(held.name)
  }
  const key = await importNameKey((await exportName(client, held.id)).key)
  const own = await publishSigned(stranger(), key, pathOf(1))
  expect(own.sequence).toBeGreaterThan(published.sequence)
  expect(await resolveName(client, held.name)).toMatchObject({ value: pathOf(1) })
  // And the service publishes above its owner.
  expect((await publishName(client, held.name, pathOf(2))).sequence).toBeGreaterThan(own.sequence)
})

test('only an API key with every scope exports a key', async () => {
  const { apiKey } = await createTestKey(network, undefined, { scopes: ['files:read', 'files:write'] })
  const limited = createClient({ network: network.profile, apiKey })
  const { name } = await createName(limited)
  await expect(exportName(limited, name)).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

test.each([
  ['nothing', ''],
  ['a word', 'hello'],
  ['a CID of another kind of text', 'bafyhello'],
  ['a path that climbs', '/ipfs/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e/../x'],
  ['another namespace', '/ipld/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'],
  ['control characters', '/ipfs/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e/a\nb'],
  ['very long', `/ipfs/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e/${'a'.repeat(3000)}`],
])('%s is not a valid target of a name', async (_, value) => {
  const key = await createNameKey()
  await expect(publishSigned(client, key, value)).rejects.toMatchObject({ code: 'INVALID_NAME_VALUE' })
  await expect(publishName(client, key.name, value)).rejects.toMatchObject({ code: 'INVALID_NAME_VALUE' })
})

test('rejects lifetimes and TTLs out of bounds before anything is signed', async () => {
  const key = await createNameKey()
  const held = await createName(client)
  for (const wrong of [{ lifetimeMs: 0 }, { lifetimeMs: 366 * 24 * 3_600_000 }, { ttlMs: -1 }, { ttlMs: Number.NaN }]) {
    await expect(publishSigned(client, key, pathOf(0), wrong)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(publishName(client, held.name, pathOf(0), wrong)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  }
})

test('rejects names of others and texts that are not names', async () => {
  const other = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  const { name, id } = await createName(client)
  for (const which of [name, id]) {
    await expect(getName(other, which)).rejects.toMatchObject({ code: 'NAME_NOT_FOUND' })
    await expect(publishName(other, which, pathOf(0))).rejects.toMatchObject({ code: 'NAME_NOT_FOUND' })
    await expect(exportName(other, which)).rejects.toMatchObject({ code: 'NAME_NOT_FOUND' })
    await expect(removeName(other, which)).rejects.toMatchObject({ code: 'NAME_NOT_FOUND' })
    await expect(historyOf(which, other)).rejects.toMatchObject({ code: 'NAME_NOT_FOUND' })
  }
  for (const wrong of ['', 'hello', cids[0] ?? '', 'example.org', '../x']) {
    await expect(resolveName(client, wrong)).rejects.toMatchObject({ code: 'INVALID_NAME' })
  }
  await expect(createName(stranger())).rejects.toMatchObject({ code: 'NO_API_KEY' })
})

test('a signal aborts every call about names', async () => {
  const key = await createNameKey()
  const { name } = await createName(client)
  const signal = AbortSignal.abort()
  for (const attempt of [
    () => createName(client, { signal }),
    () => getName(client, name, { signal }),
    () => renameName(client, name, 'x', { signal }),
    () => publishName(client, name, pathOf(0), { signal }),
    () => publishSigned(client, key, pathOf(0), { signal }),
    () => publishSigned(stranger(), key, pathOf(0), { signal }),
    () => resolveName(client, name, { signal }),
    () => exportName(client, name, { signal }),
    () => Array.fromAsync(listNames(client, { signal })),
    () => Array.fromAsync(listNameHistory(client, name, { signal })),
    () => removeName(client, name, { signal }),
  ]) {
    const error: unknown = await attempt().catch((thrown: unknown) => thrown)
    expect(CairnError.is(error) && error.code).toBe('ABORTED')
  }
})

test('lists all names, over more than one page', async () => {
  const { apiKey, privateKey } = await createTestKey(network)
  const keys = [apiKey, (await createTestKey(network, privateKey)).apiKey]
  const made: string[] = []
  // Each API key may publish a limited number per minute.
  for (const one of keys) {
    const many = createClient({ network: network.profile, apiKey: one })
    for (let index = 0; index < 55; index++) {
      made.push((await publishSigned(many, await createNameKey(), pathOf(0))).name)
    }
  }
  const listed = await Array.fromAsync(listNames(createClient({ network: network.profile, apiKey })))
  expect(listed.map(({ name }) => name)).toEqual(made.toReversed())
})
