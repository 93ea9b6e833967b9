// Five nodes with five clocks: a minute is tolerated, an hour is reported.
import { getKey, getKeyStatus, prepareKey, repairKey, revokeAccess, saveKey, shareFile, transferFile } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { startFiveNodes, without } from '../five-nodes.ts'

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const seconds = 1000

test('keys are saved, shared, revoked, transferred and read with clocks up to 50 seconds off', async () => {
  await using nodes = await startFiveNodes(
    {},
    [-50, -20, 0, 20, 50].map((skew) => skew * seconds),
  )
  const owner = await nodes.client()
  const friend = await nodes.client()
  const heir = await nodes.client()
  const { masterKey, ...key } = prepareKey()
  await saveKey(owner, cid, { masterKey, ...key })
  await shareFile(owner, cid, [friend.address])
  expect((await getKey(friend, cid)).masterKey).toBe(masterKey)
  await revokeAccess(owner, cid, [friend.address])
  await expect(getKey(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  await transferFile(owner, cid, heir.address)
  expect((await getKey(heir, cid)).masterKey).toBe(masterKey)
  await expect(getKey(owner, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
})

test.each([[[-50, -20, 0, 20, 50]], [[-50, -50, 20, 50, 50]], [[55, -55, 55, -55, 0]]])(
  'nodes with clocks %j seconds off accept each other: saves are confirmed, and a repair completes',
  async (skews) => {
    await using nodes = await startFiveNodes(
      {},
      skews.map((skew) => skew * seconds),
    )
    const owner = await nodes.client()
    const friend = await nodes.client()
    await saveKey(owner, cid, prepareKey())
    const saved = await getKeyStatus(owner, cid)
    expect(saved.nodes.map(({ status }) => status?.state)).toEqual(['held', 'held', 'held', 'held', 'held'])
    await shareFile(without(owner, 1, 5), cid, [friend.address])
    const { after } = await repairKey(owner, cid)
    expect(after.health).toBe('whole')
    expect(after.nodes.map(({ status }) => status?.sharedTo)).toEqual(saved.nodes.map(() => [friend.address]))
  },
)

test.each([1, -1])('reports a node whose clock is %i hour off, and the other four suffice', async (hours) => {
  await using nodes = await startFiveNodes({}, [0, 0, 0, 0, hours * 3600 * seconds])
  const owner = await nodes.client()
  const key = prepareKey()
  const saved = await saveKey(owner, cid, key)
  expect(saved).toMatchObject({ done: [1, 2, 3, 4], isEffective: true })
  expect(saved.pending.map(({ node, error }) => [node, error.code])).toEqual([[5, 'NO_SESSION']])
  const [refused] = saved.pending
  expect(refused?.error.details).toEqual({ node: 5, code: 'CHALLENGE_EXPIRED' })
  expect(refused?.error.hint).toMatch(/^The clock of key node 5 shows 20\d\d-/)
  expect((await getKey(owner, cid)).masterKey).toBe(key.masterKey)
})
