// Key nodes that are down, slow, lying, restored from an old backup, or interrupted during a change; and clients that
// are. A key is never lost, three nodes never give it to two owners, and a repeated call always repairs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commitShards, generateKey } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'
import {
  type Client,
  exportKey,
  getKey,
  getKeyStatus,
  isDriveKeyLost,
  prepareKey,
  recoverExported,
  repairKey,
  retireKey,
  revokeAccess,
  saveKey,
  setConditions,
  shareFile,
  transferFile,
} from '@cairn/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCids } from '../../services/keynode/src/shards/cids.fixture.ts'
import { codeOf } from '../code-of.ts'
import { type FiveNodes, startFiveNodes, startLiar, withNodes, without } from '../five-nodes.ts'
import { skipPauses } from '../lighthouse/skip-pauses.ts'

let nodes: FiveNodes
let pauses: Disposable
type KeyClient = Awaited<ReturnType<FiveNodes['client']>>
let owner: KeyClient
let friend: KeyClient

beforeAll(async () => {
  // An interrupted change is recognised immediately.
  nodes = await startFiveNodes({ CAIRN_KEYNODE_CHANGE_SECONDS: '0' })
  pauses = skipPauses()
  owner = await nodes.client()
  friend = await nodes.client()
})
afterAll(async () => {
  pauses?.[Symbol.dispose]()
  await nodes?.[Symbol.asyncDispose]()
})

const freshCid = createCids('nodes')

async function saveFresh(client: Client = owner): Promise<{ cid: string; masterKey: string }> {
  const cid = freshCid()
  const key = prepareKey()
  await saveKey(client, cid, key)
  return { cid, masterKey: key.masterKey }
}

async function opens(client: KeyClient, cid: string): Promise<boolean> {
  try {
    await getKey(client, cid)
    return true
  } catch (error) {
    if (CairnError.is(error)) return false
    throw error
  }
}

const pairs = [1, 2, 3, 4, 5].flatMap((one) =>
  [1, 2, 3, 4, 5].filter((other) => other > one).map((other) => [one, other] as const),
)

describe('two nodes of five', () => {
  test.each(pairs)('%i and %i offline change nothing, and are reported', async (one, other) => {
    const { cid, masterKey } = await saveFresh()
    const found = await getKey(without(owner, one, other), cid)
    expect(found.masterKey).toBe(masterKey)
    expect(found.failedNodes.map(({ node }) => node).sort()).toEqual([one, other])
  })

  test('fail when three are offline, and the error lists them', async () => {
    const { cid } = await saveFresh()
    await expect(getKey(without(owner, 1, 3, 5), cid)).rejects.toMatchObject({
      code: 'NOT_ENOUGH_SHARDS',
      details: { nodes: expect.arrayContaining([expect.objectContaining({ node: 3 })]) },
    })
  })

  test('that lost a key do not decide that it does not exist', async () => {
    const { cid } = await saveFresh()
    for (const node of [1, 2]) nodes.forge(node, 'delete from key where cid = ?', cid)
    expect(await codeOf(getKeyStatus(without(owner, 3, 4, 5), cid))).toBe('NETWORK_ERROR')
    nodes.forge(3, 'delete from key where cid = ?', cid)
    expect(await codeOf(getKeyStatus(without(owner, 4, 5), cid))).toBe('KEY_NOT_FOUND')
  })

  test('are waited for while the shards of the others do not match', async () => {
    const { cid, masterKey } = await saveFresh()
    // A node that missed two sets has the first, which the others no longer keep.
    for (let times = 0; times < 2; times++) await saveKey(without(owner, 5), cid, prepareKey(masterKey))
    const failure: unknown = await getKey(without(owner, 1, 2), cid).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'NOT_ENOUGH_SHARDS', retry: true, details: { shards: 2 } })
    expect(isDriveKeyLost(failure)).toBe(false)
    expect((await getKey(without(owner, 1), cid)).masterKey).toBe(masterKey)
    for (const node of [1, 2]) nodes.forge(node, 'delete from key where cid = ?', cid)
    const lost: unknown = await getKey(owner, cid).catch((error: unknown) => error)
    expect(lost).toMatchObject({ code: 'SHARDS_INCONSISTENT', retry: false })
    expect(isDriveKeyLost(lost)).toBe(true)
  })

  test('that lost or damaged the key or do not know the session are omitted from an export', async () => {
    const { cid, masterKey } = await saveFresh()
    nodes.forge(1, 'delete from key where cid = ?', cid)
    nodes.forge(2, "update key set sealed = x'00' where cid = ?", cid)
    const exported = await exportKey(owner, cid)
    expect(exported.shards.map(({ node }) => node)).toEqual([3, 4, 5])
    expect(recoverExported(exported)).toEqual({ cid, masterKey })
    const session = owner.keySession
    if (session === undefined) throw new Error('no session')
    const parts = session.nodes.map((part, i) => (i === 3 ? null : part))
    const lacking = { ...owner, keySession: { ...session, nodes: parts } }
    expect(await codeOf(exportKey(lacking, cid))).toBe('NOT_ENOUGH_SHARDS')
    const whole = await saveFresh()
    expect((await exportKey(lacking, whole.cid)).shards.map(({ node }) => node)).toEqual([1, 2, 3, 5])
    const stop = AbortSignal.abort()
    expect(await codeOf(exportKey(owner, whole.cid, { signal: stop }))).toBe('ABORTED')
  })

  const onlyShards =
    (lie: Parameters<typeof startLiar>[1]): Parameters<typeof startLiar>[1] =>
    (request, answer, response) => {
      if (request.url?.startsWith('/api/retrieveSharedKey')) lie(request, answer, response)
      else response.writeHead(answer.status).end(answer.body)
    }

  test('that return a shard of another set only once the key is known are omitted from an export', async () => {
    const { cid, masterKey } = await saveFresh()
    // A node that missed two sets has the first.
    for (let times = 0; times < 2; times++) await saveKey(without(owner, 5), cid, prepareKey(masterKey))
    let requests = 0
    await using late = await startLiar(
      nodes.url(5),
      onlyShards((_request, answer, response) => {
        if (++requests > 1) response.writeHead(answer.status).end(answer.body)
      }),
    )
    const exported = await exportKey(withNodes(owner, { 5: late.url }), cid)
    expect(requests).toBe(2)
    expect(exported.shards.map(({ node }) => node)).toEqual([1, 2, 3, 4])
    expect(recoverExported(exported)).toEqual({ cid, masterKey })
  })

  const lies: [string, Parameters<typeof startLiar>[1]][] = [
    ['a changed shard', (_request, answer, response) => response.end(answer.body.replace(/"key":"./, '"key":"f'))],
    [
      'shards and commitments of their own',
      (_request, _answer, response) => {
        const { keyShards } = generateKey()
        response.end(JSON.stringify({ payload: keyShards[0], set: commitShards(keyShards), version: 1 }))
      },
    ],
    ['pages of HTML', (_request, _answer, response) => response.end('<html><body>hello</body></html>')],
    ['ten million bytes', (_request, _answer, response) => response.end('x'.repeat(10_000_000))],
    ['nothing for ever', () => undefined],
    [
      'that the file is unknown',
      (_request, _answer, response) => {
        response.statusCode = 400
        response.setHeader('x-cairn-code', 'KEY_NOT_FOUND')
        response.end('{"message":"cid not found","data":null}')
      },
    ],
  ]
  test.each(lies)('that answer %s are detected', async (what, lie) => {
    const { cid, masterKey } = await saveFresh()
    await using first = await startLiar(nodes.url(1), onlyShards(lie))
    await using second = await startLiar(nodes.url(4), onlyShards(lie))
    const found = await getKey(withNodes(owner, { 1: first.url, 4: second.url }), cid)
    expect(found.masterKey).toBe(masterKey)
    // A silent node is not waited for.
    if (what === 'nothing for ever') expect(found.failedNodes).toEqual([])
    for (const node of [...found.wrongNodes, ...found.failedNodes.map((one) => one.node)])
      expect([1, 4]).toContain(node)
  })

  test('that return correct shards without their commitments are reported', async () => {
    const { cid, masterKey } = await saveFresh()
    const strip = onlyShards((_request, answer, response) => {
      const { set: _set, ...rest } = JSON.parse(answer.body)
      response.end(JSON.stringify(rest))
    })
    await using first = await startLiar(nodes.url(2), strip)
    await using second = await startLiar(nodes.url(3), strip)
    const found = await getKey(withNodes(owner, { 2: first.url, 3: second.url }), cid, { lateMs: 60_000 })
    expect(found).toEqual({ masterKey, wrongNodes: [2, 3], failedNodes: [] })
  })

  test('that lie only after three honest ones have answered are reported', async () => {
    const { cid, masterKey } = await saveFresh()
    let honest = 0
    const release: (() => void)[] = []
    const answerHonestly = onlyShards((_request, answer, response) => {
      response.end(answer.body)
      if (++honest === 3) for (const go of release) go()
    })
    const lie = onlyShards((_request, answer, response) => {
      const { keyShards } = generateKey()
      const own = JSON.stringify({ ...JSON.parse(answer.body), payload: keyShards[0], set: commitShards(keyShards) })
      if (honest === 3) response.end(own)
      else release.push(() => response.end(own))
    })
    const front = await Promise.all(
      [1, 2, 3, 4, 5].map((node) => startLiar(nodes.url(node), node === 1 || node === 5 ? lie : answerHonestly)),
    )
    try {
      const client = withNodes(owner, Object.fromEntries(front.map(({ url }, i) => [i + 1, url])))
      expect(await getKey(client, cid, { lateMs: 60_000 })).toEqual({ masterKey, wrongNodes: [1, 5], failedNodes: [] })
    } finally {
      for (const one of front) await one[Symbol.asyncDispose]()
    }
  })

  test('whose wrong shards come first do not end the search', async () => {
    const { cid, masterKey } = await saveFresh()
    let answered = 0
    const release: (() => void)[] = []
    const lie: Parameters<typeof startLiar>[1] = (_request, answer, response) => {
      answered++
      response.end(answer.body.replace(/"key":"./, '"key":"f'))
      if (answered === 2) for (const go of release) go()
    }
    // Honest nodes answer only once both liars have.
    const late: Parameters<typeof startLiar>[1] = (_request, answer, response) => {
      if (answered === 2) response.end(answer.body)
      else release.push(() => response.end(answer.body))
    }
    const front = await Promise.all(
      [1, 2, 3, 4, 5].map((node) => startLiar(nodes.url(node), node === 2 || node === 5 ? lie : late)),
    )
    try {
      const client = withNodes(owner, Object.fromEntries(front.map(({ url }, i) => [i + 1, url])))
      expect(await getKey(client, cid)).toMatchObject({ masterKey, wrongNodes: [2, 5] })
      // As a file is opened: without a pause for late answers.
      answered = 0
      release.length = 0
      expect(await getKey(client, cid, { lateMs: 0 })).toMatchObject({ masterKey })
    } finally {
      for (const one of front) await one[Symbol.asyncDispose]()
    }
  })

  test('restored from an old backup restore no revoked rights, and are updated by repair', async () => {
    const { cid, masterKey } = await saveFresh()
    await shareFile(owner, cid, [friend.address])
    const backups: [number, string][] = []
    for (const node of [2, 5]) {
      await nodes.stop(node)
      backups.push([node, await nodes.backUp(node)])
      await nodes.start(node)
    }
    await revokeAccess(owner, cid, [friend.address])
    await transferFile(owner, cid, friend.address)
    for (const [node, backup] of backups) {
      await nodes.stop(node)
      await nodes.restore(node, backup)
      await nodes.start(node)
    }
    // Two nodes still accept the old owner: two shards open nothing.
    expect(await codeOf(getKey(owner, cid))).toBe('ACCESS_DENIED')
    expect((await getKey(friend, cid)).masterKey).toBe(masterKey)
    const { nodes: done, after } = await repairKey(friend, cid)
    expect(done.filter(({ outcome }) => outcome === 'adopted').map(({ node }) => node)).toEqual([2, 5])
    expect(after.health).toBe('whole')
    expect(after.agreed?.owner).toBe(friend.address)
  })

  test('that alone know of a transfer cannot move a third, and the owner’s repair reverts it', async () => {
    const { cid } = await saveFresh()
    // Nodes 1 and 2 received a change that three others did not, so only two state it.
    expect(await codeOf(transferFile(without(owner, 3, 4, 5), cid, friend.address))).toBe('CHANGE_INCOMPLETE')
    // An owner known to only two nodes cannot change the others.
    expect((await repairKey(friend, cid)).after).toMatchObject({ health: 'split', agreed: undefined })
    const { agreed, nodes: stated } = await getKeyStatus(owner, cid)
    expect(agreed?.owner).toBe(owner.address)
    expect(stated.filter(({ isAgreed }) => isAgreed).map(({ node }) => node)).toEqual([3, 4, 5])
    const { changes, after } = await repairKey(owner, cid)
    expect(changes).toEqual([
      expect.objectContaining({ kind: 'transfer', nodes: [1, 2], missing: [3, 4, 5], outcome: 'taken back' }),
    ])
    expect(after).toMatchObject({ health: 'whole', agreed: { owner: owner.address }, halfDone: [] })
    // The intended owner repeats the same call.
    await transferFile(owner, cid, friend.address)
    expect((await getKeyStatus(friend, cid)).health).toBe('whole')
  })

  test('that alone received a revocation are reported by the status, and a repair completes it', async () => {
    const { cid, masterKey } = await saveFresh()
    await shareFile(owner, cid, [friend.address])
    expect(await codeOf(revokeAccess(without(owner, 3, 4, 5), cid, [friend.address]))).toBe('CHANGE_INCOMPLETE')
    const revoked = { kind: 'revoke', address: friend.address, nodes: [1, 2], missing: [3, 4, 5], isInForce: false }
    expect((await getKeyStatus(owner, cid)).halfDone).toEqual([revoked])
    expect((await getKey(friend, cid)).masterKey).toBe(masterKey)
    const { changes, after } = await repairKey(owner, cid)
    expect(changes).toEqual([{ ...revoked, outcome: 'finished' }])
    expect(after).toMatchObject({ health: 'whole', halfDone: [], agreed: { sharedTo: [] } })
    expect(await codeOf(getKey(friend, cid))).toBe('ACCESS_DENIED')
  })
})

test('a retired key is returned to no account, and says where its file went', async () => {
  const { cid } = await saveFresh()
  const successor = freshCid()
  await retireKey(owner, cid, { successor })
  await expect(transferFile(owner, cid, friend.address)).rejects.toMatchObject({
    code: 'KEY_RETIRED',
    details: { successor },
  })
  expect((await getKeyStatus(owner, cid)).agreed).toMatchObject({ owner: owner.address, state: 'retired', successor })
})

/** Each change with its preparation and what must hold when it is complete. */
const changes: Record<
  string,
  {
    prepare(): Promise<{ cid: string; masterKey: string }>
    make(client: KeyClient, cid: string): Promise<unknown>
    holds(cid: string, masterKey: string): Promise<void>
  }
> = {
  save: {
    prepare: async () => ({ cid: freshCid(), masterKey: '' }),
    make: (client, cid) => saveKey(client, cid, resaved),
    holds: async (cid) => expect((await getKey(owner, cid)).masterKey).toBe(resaved.masterKey),
  },
  revoke: {
    prepare: async () => {
      const saved = await saveFresh()
      await shareFile(owner, saved.cid, [friend.address])
      return saved
    },
    make: (client, cid) => revokeAccess(client, cid, [friend.address]),
    holds: async (cid, masterKey) => {
      expect(await codeOf(getKey(friend, cid))).toBe('ACCESS_DENIED')
      expect((await getKey(owner, cid)).masterKey).toBe(masterKey)
    },
  },
  transfer: {
    prepare: () => saveFresh(),
    make: (client, cid) => transferFile(client, cid, friend.address),
    holds: async (cid, masterKey) => {
      expect(await codeOf(getKey(owner, cid))).toBe('ACCESS_DENIED')
      expect((await getKey(friend, cid)).masterKey).toBe(masterKey)
    },
  },
  'save again': {
    prepare: () => saveFresh(),
    make: (client, cid) => saveKey(client, cid, resaved),
    holds: async (cid) => expect((await getKey(owner, cid)).masterKey).toBe(resaved.masterKey),
  },
}
const resaved = prepareKey()

describe.each(Object.entries(changes))('%s, cut off', (name, { prepare, make, holds }) => {
  test.each([0, 1, 2, 3, 4])('after %i nodes, loses nothing, and the same call again completes it', async (reached) => {
    const { cid, masterKey } = await prepare()
    const away = [1, 2, 3, 4, 5].slice(reached)
    await make(without(owner, ...away), cid).catch((error: unknown) => {
      if (!CairnError.is(error)) throw error
    })
    // In between, the key opens for exactly one owner or, if nothing is saved yet, for none.
    const byOwner = await opens(owner, cid)
    const byFriend = await opens(friend, cid)
    if (name === 'transfer') expect(byOwner).not.toBe(byFriend)
    if (name === 'save again') expect(byOwner).toBe(true)
    await make(owner, cid)
    await holds(cid, masterKey)
    // Nodes that wait for others learn of them when they are queried.
    await getKeyStatus(name === 'transfer' ? friend : owner, cid)
    expect((await getKeyStatus(name === 'transfer' ? friend : owner, cid)).health).toBe('whole')
  })

  test.each([1, 2, 3, 4, 5])('by the exit of node %i, completes when the node is back', async (node) => {
    const { cid, masterKey } = await prepare()
    await nodes.stop(node)
    try {
      await make(owner, cid)
    } finally {
      await nodes.start(node)
    }
    await make(owner, cid)
    await holds(cid, masterKey)
  })
})

describe('the data of one node', () => {
  test('opens nothing at another: neither its disk nor its log holds a token, a proof or a key', async () => {
    const { cid, masterKey } = await saveFresh()
    await getKey(owner, cid)
    await shareFile(owner, cid, [friend.address])
    const { keySession } = owner
    const sessionKey = keySession?.sessionKey
    const secrets = [masterKey, sessionKey !== undefined && 'secretKey' in sessionKey ? sessionKey.secretKey : '']
    for (const [i, node] of (keySession?.nodes ?? []).entries()) {
      if (node === null) continue
      secrets.push(node.token.split('.')[2] ?? '', node.refreshToken.split('.')[1] ?? '')
      expect(node.node).toBe(i + 1)
    }
    for (const number of [1, 2, 3, 4, 5]) {
      const log = nodes.lines[number - 1]?.join('') ?? ''
      const disk = readdirSync(nodes.folder(number)).map((file) => readFileSync(join(nodes.folder(number), file)))
      expect(log.length).toBeGreaterThan(1000)
      for (const secret of secrets) {
        expect(log.includes(secret), `log of ${number}`).toBe(false)
        for (const bytes of disk) expect(bytes.includes(secret), `disk of ${number}`).toBe(false)
      }
    }
  })

  test('opens nothing by its tokens without the session key', async () => {
    const { cid } = await saveFresh()
    const token = owner.keySession?.nodes[0]?.token ?? ''
    for (const number of [1, 2, 3, 4, 5]) {
      const answer = await fetch(`${nodes.url(number)}/api/retrieveSharedKey/${number}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ address: owner.address, cid }),
      })
      expect([answer.status, await answer.json()]).toEqual([
        401,
        expect.objectContaining({ message: 'Invalid Signature' }),
      ])
    }
  })
})

test('all nodes reject conditions on a chain that none of them knows, and change nothing', async () => {
  const { cid } = await saveFresh()
  const conditions = [
    {
      id: 1,
      chain: 'Nowhere',
      method: 'getBlockNumber',
      standardContractType: '',
      returnValueTest: { comparator: '>', value: '1' },
    },
  ]
  expect(await codeOf(setConditions(owner, cid, { conditions }))).toBe('CHAIN_NOT_SUPPORTED')
  expect((await getKeyStatus(owner, cid)).agreed?.hasConditions).toBe(false)
})

test('one node that copies the digest of others and names another owner decides nothing', async () => {
  const { cid } = await saveFresh()
  const attacker = `0x${'6'.repeat(40)}`
  await using liar = await startLiar(nodes.url(1), (request, answer, response) => {
    const isStatus = request.url?.includes('/keys/status/') === true
    const body = isStatus ? JSON.stringify({ ...JSON.parse(answer.body), sharedTo: [attacker] }) : answer.body
    response.statusCode = answer.status
    response.end(body)
  })
  const report = await getKeyStatus(withNodes(owner, { 1: liar.url }), cid)
  expect(report.health).toBe('usable')
  expect(report.agreed?.sharedTo).toEqual([])
  expect(report.nodes.map(({ isAgreed }) => isAgreed)).toEqual([false, true, true, true, true])
})
