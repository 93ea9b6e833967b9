import { CairnError, repairKey as repairKeyCall, retrieveShard } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { askNodes } from './ask-nodes.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { getKey } from './get-key.ts'
import { prepareKey, saveKey } from './save-key.ts'
import { getKeyStatus, type KeyReport } from './status.ts'

/** What a repair did. */
export type RepairReport = {
  /** How the nodes stood before and after. */
  before: KeyReport
  after: KeyReport
  nodes: {
    node: number
    outcome: 'current' | 'adopted' | 'undecided' | 'unable' | 'saved' | 'failed'
    error?: CairnError
  }[]
}

const timeoutMs = 20_000

/**
 * Mends what a change that was cut off left behind: each node catches up with what three of its peers state. The owner's call
 * also saves the key anew where a node lacks its shard or cannot open it any more: the key stays the same, all five get fresh shards of it, and those
 * that had none the rights that the others state.
 * @throws CairnError KEY_NOT_FOUND, ACCESS_DENIED, NO_SESSION
 */
export async function repairKey(
  client: Client,
  cid: string,
  options: { signal?: AbortSignal } = {},
): Promise<RepairReport> {
  const { address } = sessionOf(client)
  const before = await getKeyStatus(client, cid, options)
  const nodes: RepairReport['nodes'] = []
  const repairOne = async (node: number) => {
    const input = { params: { node: String(node) }, body: { address, cid } }
    const { data } = await callWithSession(client, repairKeyCall, node, input, { ...options, timeoutMs })
    return data.outcome
  }
  for (const node of nodeNumbers) {
    try {
      nodes.push({ node, outcome: await repairOne(node) })
    } catch (error) {
      nodes.push({ node, outcome: 'failed', error: CairnError.from(error) })
    }
  }
  const isOwner = before.agreed?.owner === address
  const damaged = isOwner ? await findDamaged(client, cid, options) : []
  const lacking = nodes.filter(
    ({ node, outcome, error }) =>
      outcome === 'unable' ||
      error?.code === 'KEY_NOT_FOUND' ||
      error?.code === 'DATA_DAMAGED' ||
      damaged.includes(node),
  )
  if (lacking.length > 0 && before.agreed !== undefined && isOwner) {
    const { masterKey } = await getKey(client, cid, options)
    const { done } = await saveKey(client, cid, prepareKey(masterKey), {
      ...options,
      shareTo: before.agreed.sharedTo,
    })
    // Asking all five puts the new shards in force; only then do peers state rights that go with them.
    await getKeyStatus(client, cid, options)
    for (const one of lacking.filter(({ node }) => done.includes(node))) {
      try {
        await repairOne(one.node)
        one.outcome = 'saved'
        delete one.error
      } catch (error) {
        one.error = CairnError.from(error)
      }
    }
  }
  return { before, after: await getKeyStatus(client, cid, options), nodes }
}

/** Nodes that hold a shard which they cannot open any more: a bit of their disk changed. */
async function findDamaged(client: Client, cid: string, options: { signal?: AbortSignal }): Promise<number[]> {
  const { address } = sessionOf(client)
  const answers = await askNodes(nodeNumbers, (node) => {
    const input = { params: { node: String(node) }, body: { address, cid } }
    return callWithSession(client, retrieveShard, node, input, options)
  })
  return nodeNumbers.filter((_node, i) => {
    const answer = answers[i]
    return answer !== undefined && 'error' in answer && answer.error.code === 'DATA_DAMAGED'
  })
}
