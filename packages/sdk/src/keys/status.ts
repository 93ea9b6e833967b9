import { CairnError, getKeyStatus as getKeyStatusCall, type KeyStatus, keyShardThreshold } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession } from './call-with-session.ts'
import { groupBy } from './group-by.ts'
import { findHalfDone, type HalfDone } from './half-done.ts'

/** What the five nodes hold about a file. */
export type KeyReport = {
  cid: string
  /** `whole`: all five agree. `usable`: three or more do, the others lag or are offline. `split`: no three agree. */
  health: 'whole' | 'usable' | 'split'
  /** What at least three nodes agree on. */
  agreed: KeyStatus | undefined
  /** Changes that some nodes have and others lack, as far as this address may see them. */
  halfDone: HalfDone[]
  nodes: { node: number; status?: KeyStatus; error?: CairnError; isAgreed: boolean }[]
}

/** Asks all five nodes what they hold, and compares. @throws CairnError KEY_NOT_FOUND or ACCESS_DENIED when three nodes say so, NO_SESSION */
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
  const stated = answers.filter((answer) => answer.status !== undefined)
  const [largest] = groupBy(stated, ({ status }) => nameRights(status)).sort(([, a], [, b]) => b.length - a.length)
  if (largest === undefined) throw whyNone(answers.flatMap(({ error }) => (error === undefined ? [] : [error])))
  const [rights, alike] = largest
  const agreed = alike.length >= keyShardThreshold ? alike[0]?.status : undefined
  const empty = answers.flatMap(({ node, error }) => (error?.code === 'KEY_NOT_FOUND' ? [node] : []))
  return {
    cid,
    health: alike.length === nodeNumbers.length ? 'whole' : agreed === undefined ? 'split' : 'usable',
    agreed,
    halfDone: findHalfDone(stated, empty, agreed),
    nodes: answers.map((answer) => ({
      ...answer,
      isAgreed: answer.status !== undefined && nameRights(answer.status) === rights,
    })),
  }
}

/** What nodes must state alike, in their own words: a digest alone is what one node says of itself. */
function nameRights({ digest, owner, sharedTo, setId, successor, state, hasConditions }: KeyStatus): string {
  return JSON.stringify([digest, owner, [...sharedTo].sort(), setId, successor, state === 'retired', hasConditions])
}

function whyNone(errors: CairnError[]): CairnError {
  return errors.find(({ retry }) => !retry) ?? errors[0] ?? new CairnError('NO_KEY_NODES')
}
