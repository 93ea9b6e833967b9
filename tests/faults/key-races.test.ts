// Two machines that change the same file concurrently, with five calls each: what was reported in force stays in
// force.
import { CairnError } from '@cairn/protocol'
import {
  type Client,
  getKey,
  getKeyStatus,
  prepareKey,
  revokeAccess,
  saveKey,
  shareFile,
  transferFile,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCids } from '../../services/keynode/src/shards/cids.fixture.ts'
import { type FiveNodes, startFiveNodes } from '../five-nodes.ts'
import { skipPauses } from '../lighthouse/skip-pauses.ts'

type KeyClient = Awaited<ReturnType<FiveNodes['client']>>
const rounds = 4
let nodes: FiveNodes
let pauses: Disposable
let desk: KeyClient
let phone: KeyClient
let friend: KeyClient
let other: KeyClient
beforeAll(async () => {
  nodes = await startFiveNodes()
  pauses = skipPauses()
  desk = await nodes.client()
  phone = await nodes.client(desk.privateKey)
  friend = await nodes.client()
  other = await nodes.client()
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await nodes?.[Symbol.asyncDispose]()
})

const freshCid = createCids('races')

/** The same client with delayed calls, so that the order at the nodes differs from round to round. */
function later<C extends Client>(client: C, turns: number): C {
  return {
    ...client,
    async fetch(input, init) {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      return fetch(input, init)
    },
  }
}

async function outcomeOf(work: Promise<{ isEffective: boolean }>): Promise<string> {
  try {
    return (await work).isEffective ? 'effective' : 'not effective'
  } catch (error) {
    if (CairnError.is(error)) return error.code
    throw error
  }
}

test('concurrent shares and revocations all reach all nodes', async () => {
  for (let round = 0; round < rounds; round++) {
    const cid = freshCid()
    const gone = `0x${'8'.repeat(40)}`
    await saveKey(desk, cid, prepareKey(), { shareTo: [gone] })
    const outcomes = await Promise.all([
      outcomeOf(shareFile(desk, cid, [friend.address])),
      outcomeOf(shareFile(later(phone, round), cid, [other.address])),
      outcomeOf(revokeAccess(phone, cid, [gone])),
    ])
    expect(outcomes).toEqual(['effective', 'effective', 'effective'])
    const { health, agreed } = await getKeyStatus(desk, cid)
    expect([health, agreed?.sharedTo]).toEqual(['whole', [friend.address, other.address].sort()])
  }
})

test('exactly one of two concurrent transfers succeeds', async () => {
  for (let round = 0; round < rounds; round++) {
    const cid = freshCid()
    await saveKey(desk, cid, prepareKey())
    const transfer = (client: Client, to: string) => outcomeOf(transferFile(client, cid, to))
    const outcomes = await Promise.all([
      transfer(desk, friend.address),
      transfer(later(phone, 1 + (round % 3)), other.address),
    ])
    const readers = await Promise.all(
      [friend, other].map((client) =>
        getKey(client, cid).then(
          () => 'reads',
          () => 'does not',
        ),
      ),
    )
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome === 'effective') expect(readers[i]).toBe('reads')
      else expect(['ACCESS_DENIED', 'CHANGE_INCOMPLETE']).toContain(outcome)
    }
    expect(readers.filter((one) => one === 'reads').length).toBe(1)
    expect(outcomes.filter((one) => one === 'effective').length).toBe(1)
  }
})

test('when two strangers save a key for the same file, one owns it, with a key that opens', async () => {
  for (let round = 0; round < rounds; round++) {
    const cid = freshCid()
    const keys = [prepareKey(), prepareKey()]
    const clients = [friend, later(other, 1 + (round % 3))]
    const outcomes = await Promise.all(
      clients.map((client, i) => outcomeOf(saveKey(client, cid, keys[i] ?? prepareKey()))),
    )
    expect(outcomes.filter((one) => one === 'effective').length, outcomes.join()).toBe(1)
    const i = outcomes.indexOf('effective')
    const winner = clients[i] ?? friend
    expect((await getKey(winner, cid)).masterKey).toBe(keys[i]?.masterKey)
    await expect(getKey(clients[1 - i] ?? friend, cid)).rejects.toMatchObject({
      code: expect.stringMatching(/^(ACCESS_DENIED|NOT_ENOUGH_SHARDS)$/),
    })
  }
})
