// Tokens between nodes: what they are valid for, and what someone who saw one can do with it.
import { randomUUID } from 'node:crypto'
import { commitShards, generateKey } from '@cairn/crypto'
import { attestKey, callPath, ed25519SeedPrefix } from '@cairn/protocol'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveRecord } from '../shards/changes/save.ts'
import { callerOf, type FivePeers, startFivePeers } from '../shards/peers/peers.fixture.ts'
import { readStatement, signPeerToken, signStatement } from './tokens.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const other = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
let peers: FivePeers
beforeAll(async () => {
  peers = await startFivePeers()
  const { keyShards } = generateKey()
  const [payload] = keyShards
  if (payload === undefined) throw new Error('a key has five shards')
  for (const saved of [cid, other]) {
    const shard = { cid: saved, cidAsGiven: saved, sharedTo: [], payload, set: commitShards(keyShards) }
    await saveRecord(peers.of(1), callerOf('a'), shard)
  }
})
afterAll(() => peers?.[Symbol.asyncDispose]())

async function ask(token: string, about = cid): Promise<string> {
  const url = peers.of(2).config.peers.find(({ node }) => node === 1)?.url ?? ''
  const response = await fetch(`${url}${callPath(attestKey, { node: '1' })}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ cid: about }),
  })
  await response.body?.cancel()
  return response.ok ? 'stated' : (response.headers.get('x-cairn-code') ?? String(response.status))
}
const sign = (from: number, to: number, about = cid) =>
  signPeerToken(peers.of(from), to, { id: randomUUID(), cid: about })

test('a token is valid only for its file, however often, and only at its node', async () => {
  const token = await sign(2, 1)
  expect([await ask(token), await ask(token)]).toEqual(['stated', 'stated'])
  expect(await ask(token, other)).toBe('INVALID_SIGNATURE')
  expect(await ask(await sign(2, 3))).toBe('INVALID_SIGNATURE')
})

test('a token grants no changes', async () => {
  const seen = () => peers.of(1).db.read.selectFrom('seen_proof').selectAll().execute()
  const before = await seen()
  for (const from of [2, 3, 4, 5]) expect(await ask(await sign(from, 1))).toBe('stated')
  expect(await seen()).toEqual(before)
})

test('a token that another node signed in the name of a peer is rejected, and so is any other text', async () => {
  const forged = { ...peers.of(3), config: { ...peers.of(3).config, node: 2 } }
  expect(await ask(await signPeerToken(forged, 1, { id: randomUUID(), cid }))).toBe('INVALID_SIGNATURE')
  for (const text of ['a.b.c', 'e30.e30.e30', 'x']) expect(await ask(text)).toBe('INVALID_SIGNATURE')
})

test('a token of an older node, which names no file, is valid once', async () => {
  const { config, keys } = peers.of(2)
  const key = await crypto.subtle.importKey(
    'pkcs8',
    Buffer.concat([ed25519SeedPrefix, keys.signing]),
    'Ed25519',
    false,
    ['sign'],
  )
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'EdDSA', typ: 'peer+jwt' })
    .setIssuer(`cairn-key-node:${config.networkName}:2`)
    .setAudience(`cairn-key-node:${config.networkName}:1`)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('60s')
    .sign(key)
  expect([await ask(token), await ask(token)]).toEqual(['stated', 'INVALID_SIGNATURE'])
})

test('a token expires after a minute plus the difference of two clocks', async () => {
  const token = await sign(2, 1)
  peers.pass(4 * 60_000)
  expect(await ask(token)).toBe('INVALID_SIGNATURE')
})

test('a statement counts for its own node, and only for minutes', async () => {
  const statement = await signStatement(peers.of(1), { cid })
  expect(await readStatement(peers.of(2), 1, statement)).toMatchObject({ cid })
  await expect(readStatement(peers.of(2), 3, statement)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
  peers.pass(5 * 60_000)
  await expect(readStatement(peers.of(2), 1, statement)).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
})
