import { CairnError, getKeyStatus as getKeyStatusCall, type KeyStatus, keyShardThreshold } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession } from './call-with-session.ts'

/** What the five nodes hold about a file. */
export type KeyReport = {
  cid: string
  /** `whole`: all five agree. `usable`: three or more do, the others lag or are away. `split`: no three agree. */
  health: 'whole' | 'usable' | 'split'
  /** What most nodes agree on. */
  agreed: KeyStatus | undefined
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
  const byRights = Map.groupBy(
    answers.filter((answer) => answer.status !== undefined),
    ({ status }) => nameRights(status),
  )
  const most = [...byRights.values()].sort((a, b) => b.length - a.length)[0] ?? []
  const agreed = most[0]?.status
  if (agreed === undefined) throw whyNone(answers.flatMap(({ error }) => (error === undefined ? [] : [error])))
  return {
    cid,
    health: most.length === nodeNumbers.length ? 'whole' : most.length >= keyShardThreshold ? 'usable' : 'split',
    agreed: most.length >= keyShardThreshold ? agreed : undefined,
    nodes: answers.map((answer) => ({
      ...answer,
      isAgreed: answer.status !== undefined && nameRights(answer.status) === nameRights(agreed),
    })),
  }
}

/** What nodes must state alike, in their own words: a digest alone is what one node says of itself. */
function nameRights(status: KeyStatus | undefined): string {
  if (status === undefined) return ''
  const { digest, owner, sharedTo, setId, successor, state, hasConditions } = status
  return JSON.stringify([digest, owner, [...sharedTo].sort(), setId, successor, state === 'retired', hasConditions])
}

function whyNone(errors: CairnError[]): CairnError {
  return errors.find(({ retry }) => !retry) ?? errors[0] ?? new CairnError('NO_KEY_NODES')
}
