// Encrypting a file again while nodes are unavailable, lie or disagree, and when it is interrupted: the new file has
// the rights that three nodes state, and the old key is never destroyed before the new one is in force.
import { zeroAddress } from '@cairn/protocol'
import {
  type Client,
  decryptBytes,
  getConditions,
  getKey,
  getKeyStatus,
  listKeyFiles,
  revokeAccess,
  rotateFile,
  shareFile,
  uploadEncryptedText,
} from '@cairn/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLiar, withNodes, without } from '../five-nodes.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { skipPauses } from '../lighthouse/skip-pauses.ts'

type KeyClient = Awaited<ReturnType<typeof createKeyClient>>

let network: TestNetwork
let pauses: Disposable
let owner: KeyClient
let friend: KeyClient
let stranger: KeyClient

beforeAll(async () => {
  // No chain is queried: this test only stores its conditions.
  const chains = { local: { family: 'evm', chainId: 31337, rpcUrls: ['http://127.0.0.1:9'], confirmations: 0 } }
  network = await createTestNetwork({ CAIRN_KEYNODE_CHAINS: JSON.stringify({ chains }) })
  pauses = skipPauses()
  owner = await createKeyClient(network)
  friend = await createKeyClient(network)
  stranger = await createKeyClient(network)
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await network?.[Symbol.asyncDispose]()
})

const urlOf = (node: number) => network.profile.keyNodes?.[node - 1] ?? ''
const read = async (client: Client, cid: string) => new TextDecoder().decode(await decryptBytes(client, cid))
const owned = async () => (await Array.fromAsync(listKeyFiles(owner, 'owner'))).map(({ cid }) => cid)
const rule = (id: number) => ({
  id,
  chain: 'local',
  method: 'getBlockNumber',
  standardContractType: '',
  returnValueTest: { comparator: '>=', value: String(id) },
})

describe('a rotated file', () => {
  test('has the recipients and the conditions of the old one', async () => {
    const conditions = { conditions: [rule(1), rule(2)], aggregator: '([1] and [2])', chainType: 'EVM' }
    const { cid } = await uploadEncryptedText(owner, 'kept', { shareTo: [friend.address], conditions })
    const rotated = await rotateFile(owner, cid)
    const { agreed } = await getKeyStatus(owner, rotated.cid)
    expect(agreed).toMatchObject({ sharedTo: [friend.address], hasConditions: true, owner: owner.address })
    const before = {
      aggregator: '([1] and [2])',
      conditions: [rule(1), rule(2)].map((one) => expect.objectContaining(one)),
    }
    expect(await getConditions(owner, rotated.cid)).toMatchObject(before)
    expect(await read(friend, rotated.cid)).toBe('kept')
    await expect(getKey(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  })

  test('has all recipients, even if there are very many', async () => {
    const many = Array.from({ length: 250 }, (_address, i) => `0x${(4096 + i).toString(16).padStart(40, '1')}`)
    const { cid } = await uploadEncryptedText(owner, 'to many', { shareTo: [friend.address, ...many] })
    expect((await getKeyStatus(owner, cid)).agreed?.sharedTo).toHaveLength(251)
    const rotated = await rotateFile(owner, cid)
    const { agreed, health } = await getKeyStatus(owner, rotated.cid)
    expect([health, agreed?.sharedTo.length]).toEqual(['whole', 251])
    expect(await read(friend, rotated.cid)).toBe('to many')
  })

  test('is created with two nodes offline, whichever file they knew', async () => {
    const { cid } = await uploadEncryptedText(owner, 'two away', { shareTo: [friend.address] })
    const rotated = await rotateFile(without(owner, 2, 4), cid)
    expect(rotated.retired).toMatchObject({ done: [1, 3, 5], isEffective: true })
    expect(rotated.retired.pending.map(({ node }) => node)).toEqual([2, 4])
    expect(await read(friend, rotated.cid)).toBe('two away')
    await expect(getKey(friend, cid), 'two that missed it open nothing').rejects.toMatchObject({
      code: 'ACCESS_DENIED',
    })
  })

  test('does not adopt recipients or conditions that only two lying nodes report', async () => {
    const { cid } = await uploadEncryptedText(owner, 'no lies', { shareTo: [friend.address] })
    const lie: Parameters<typeof startLiar>[1] = (request, answer, response) => {
      const body = JSON.parse(answer.body)
      if (request.url?.startsWith('/api/keys/status')) body.sharedTo = [...(body.sharedTo ?? []), stranger.address]
      if (request.url?.startsWith('/api/fileAccessConditions/get')) body.conditions = [rule(1)]
      response.writeHead(answer.status).end(JSON.stringify(body))
    }
    await using first = await startLiar(urlOf(1), lie)
    await using second = await startLiar(urlOf(2), lie)
    const rotated = await rotateFile(withNodes(owner, { 1: first.url, 2: second.url }), cid)
    expect((await getKeyStatus(owner, rotated.cid)).agreed).toMatchObject({
      sharedTo: [friend.address],
      hasConditions: false,
    })
    await expect(getKey(stranger, rotated.cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  })

  test('is not created without agreement of three nodes, nor by others than the owner; nothing is uploaded', async () => {
    const { cid } = await uploadEncryptedText(owner, 'split', { shareTo: [friend.address] })
    const before = await owned()
    await expect(rotateFile(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
    expect(await Array.fromAsync(listKeyFiles(friend, 'owner'))).toEqual([])
    const other = `0x${'9'.repeat(40)}`
    await expect(shareFile(without(owner, 3, 4, 5), cid, [stranger.address])).rejects.toMatchObject({
      code: 'CHANGE_INCOMPLETE',
    })
    await expect(shareFile(without(owner, 1, 2, 5), cid, [other])).rejects.toMatchObject({ code: 'CHANGE_INCOMPLETE' })
    await expect(rotateFile(owner, cid)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await owned()).toEqual(before)
    expect(await read(friend, cid)).toBe('split')
  })
})

describe('an interrupted rotation', () => {
  test('leaves the old file unchanged at first, and can be repeated', async () => {
    const text = 'long '.repeat(1_000_000)
    const { cid } = await uploadEncryptedText(owner, text, { shareTo: [friend.address] })
    const before = await owned()
    const stop = new AbortController()
    const cut = rotateFile(owner, cid, { signal: stop.signal, onProgress: () => stop.abort() })
    await expect(cut).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await owned()).toEqual(before)
    expect((await getKeyStatus(owner, cid)).agreed).toMatchObject({ state: 'held', successor: null })
    expect(await read(friend, cid)).toBe(text)
    expect(await read(friend, (await rotateFile(owner, cid)).cid)).toBe(text)
  })

  test('reports the new file before three nodes retired the old key, and can be repeated', async () => {
    const { cid } = await uploadEncryptedText(owner, 'half', { shareTo: [friend.address] })
    // Three nodes lose every call that retires a key; everything else reaches them.
    const liars = await Promise.all(
      [1, 3, 5].map((node) =>
        startLiar(
          urlOf(node),
          (_request, answer, response) => response.writeHead(answer.status).end(answer.body),
          (request) => !request.url?.startsWith('/api/keys/retire'),
        ),
      ),
    )
    const [one, three, five] = liars.map(({ url }) => url)
    const partly = withNodes(owner, { 1: one ?? '', 3: three ?? '', 5: five ?? '' })
    const fault = await rotateFile(partly, cid).then(String, (error: unknown) => error)
    expect(fault).toMatchObject({ code: 'CHANGE_INCOMPLETE', details: { done: [2, 4], successor: expect.any(String) } })
    for (const liar of liars) await liar[Symbol.asyncDispose]()
    expect(await read(friend, cid), 'the old key still holds').toBe('half')
    const rotated = await rotateFile(owner, cid)
    expect(rotated.retired.done).toEqual([1, 2, 3, 4, 5])
    expect(await read(friend, rotated.cid)).toBe('half')
    expect(await getKeyStatus(owner, cid)).toMatchObject({
      health: 'whole',
      agreed: { state: 'retired', successor: rotated.cid },
    })
  })

  test('completes on the other nodes after three nodes retired the old key; the readers stay', async () => {
    const { cid } = await uploadEncryptedText(owner, 'nearly', { shareTo: [friend.address] })
    const first = await rotateFile(without(owner, 1, 5), cid)
    const before = await owned()
    const again = await rotateFile(owner, cid)
    expect(again).toMatchObject({ cid: first.cid, uploaded: undefined, retired: { done: [1, 2, 3, 4, 5] } })
    expect(await owned()).toEqual(before)
    expect((await getKeyStatus(owner, cid)).health).toBe('whole')
    expect((await getKeyStatus(owner, first.cid)).agreed).toMatchObject({ sharedTo: [friend.address] })
    expect(await read(friend, first.cid)).toBe('nearly')
  })

  test('does not restore a revoked right', async () => {
    const { cid } = await uploadEncryptedText(owner, 'race', { shareTo: [friend.address] })
    const before = await owned()
    const slow: Client = {
      ...owner,
      async fetch(input, init) {
        // The new key is being saved with the rights that were read before.
        if (String(input).endsWith('/api/setSharedKey/1')) await revokeAccess(owner, cid, [friend.address])
        return fetch(input, init)
      },
    }
    await expect(rotateFile(slow, cid)).rejects.toMatchObject({ code: 'CONFLICT' })
    for (const one of (await owned()).filter((known) => !before.includes(known)))
      await expect(getKey(friend, one)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
    const rotated = await rotateFile(owner, cid)
    expect((await getKeyStatus(owner, rotated.cid)).agreed).toMatchObject({ sharedTo: [] })
  })

  test('reports the new file if it cannot withdraw what a revoked reader gained by it', async () => {
    const { cid } = await uploadEncryptedText(owner, 'open', { shareTo: [friend.address] })
    const before = await owned()
    const cut: Client = {
      ...owner,
      async fetch(input, init) {
        const path = String(input)
        if (path.endsWith('/api/setSharedKey/1')) await revokeAccess(owner, cid, [friend.address])
        if (path.includes('/api/keys/retire/')) throw new TypeError('fetch failed')
        return fetch(input, init)
      },
    }
    const failure = await rotateFile(cut, cid).catch((error: unknown) => error)
    const [copy = ''] = (await owned()).filter((known) => !before.includes(known))
    expect(failure).toMatchObject({
      hint: expect.stringContaining(`copy, ${copy}. Addresses`),
      details: { successor: copy },
    })
    expect(await read(friend, copy), 'what the error is about').toBe('open')
  })
})

test('a file without an owner cannot be rotated', async () => {
  const conditions = { conditions: [rule(1)], decryptionType: 'ACCESS_CONDITIONS', isOwnerless: true }
  const { cid } = await uploadEncryptedText(owner, 'nobody’s', { conditions })
  expect(await getConditions(owner, cid)).toMatchObject({ owner: zeroAddress })
  await expect(rotateFile(owner, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
})
