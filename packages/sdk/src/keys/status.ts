import { CairnError, getKeyStatus as getKeyStatusCall, type KeyStatus, keyShardThreshold } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession } from './call-with-session.ts'
import { findRefusal } from './find-refusal.ts'
import { groupBy } from './group-by.ts'
import { findHalfDone, type HalfDone } from './half-done.ts'

/** The state of a file key on the five nodes. */
export type KeyReport = {
  cid: string
  /** `whole`: all five agree. `usable`: three or more agree, the others lag or are offline. `split`: no three agree. */
  health: 'whole' | 'usable' | 'split'
  /** The state that at least three nodes agree on. */
  agreed: KeyStatus | undefined
  /** Changes that some nodes applied and others lack, as far as this address may see them. */
  halfDone: HalfDone[]
  /**
   * `false` if three nodes state that they have no spare shards, with which their operators can replace all shards: `repairKey`
   * creates them. Undefined for recipients.
   */
  hasSpare: boolean | undefined
  nodes: { node: number; status?: KeyStatus; error?: CairnError; isAgreed: boolean }[]
}

/**
 * Reads the state of a file key from all five nodes and compares it.
 * @throws CairnError KEY_NOT_FOUND or ACCESS_DENIED if three nodes agree on it, NO_SESSION
 */
export async function getKeyStatus(
  client: Client,
  cid: string,
  options: { signal?: AbortSignal } = {},
): Promise<KeyReport> {
  const answers = await Promise.all(
    nodeNumbers.map(async (node) => {
      try {
        const params = { node: String(node), cid }
        return { node, status: await callWithSession(client, getKeyStatusCall, node, { params }, options) }
      } catch (error) {
        return { node, error: CairnError.from(error) }
      }
    }),
  )
  const all = answers.filter((answer) => answer.status !== undefined)
  // A node that was restored from a backup does not know the present state; it counts only if no other does.
  const present = all.filter(({ status }) => status.isRestored !== true)
  const stated = present.length > 0 ? present : all
  const [largest] = groupBy(stated, ({ status }) => nameRights(status)).sort(([, a], [, b]) => b.length - a.length)
  if (largest === undefined) throw findRefusal(answers.flatMap(({ error }) => (error === undefined ? [] : [error])))
  const [rights, alike] = largest
  const agreed = alike.length >= keyShardThreshold ? alike[0]?.status : undefined
  const empty = answers.flatMap(({ node, error }) => (error?.code === 'KEY_NOT_FOUND' ? [node] : []))
  return {
    cid,
    health: alike.length === nodeNumbers.length ? 'whole' : agreed === undefined ? 'split' : 'usable',
    agreed,
    halfDone: findHalfDone(stated, empty, agreed),
    hasSpare: [true, false].find(
      (value) => stated.filter(({ status }) => status.hasSpare === value).length >= keyShardThreshold,
    ),
    nodes: answers.map((answer) => ({
      ...answer,
      isAgreed:
        answer.status !== undefined &&
        nameRights(answer.status) === rights &&
        stated.some(({ node }) => node === answer.node),
    })),
  }
}

/** Serialises the fields that nodes must agree on: a digest alone is only the claim of one node. */
function nameRights({ digest, owner, sharedTo, setId, successor, state, hasConditions }: KeyStatus): string {
  return JSON.stringify([digest, owner, [...sharedTo].sort(), setId, successor, state === 'retired', hasConditions])
}
