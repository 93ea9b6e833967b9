import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { describeFailure, type KeySession, lackingNodes, noteFailures } from '../key-session.ts'
import type { Signer } from '../signer/resolve-signer.ts'
import { waitFor } from '../wait-for.ts'
import { extendKeySession } from './extend-session.ts'

/** A node that rejects sign-ins, or loses them, gets one signature in this time, however many calls need it. */
const gapMs = 60_000

type Attempts = { pending: Promise<void> | undefined; triedAt: Map<number, number> }
const attempts = new WeakMap<KeySession, Attempts>()

/**
 * Signs in again at a node that a session lacks, and at the others that it lacks. Concurrent calls share one signature.
 * A failure is noted in the session, which the next call at the node reports.
 * @throws CairnError ABORTED
 */
export async function restorePart(
  client: Client,
  session: KeySession,
  signer: Signer,
  node: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const own = attempts.get(session) ?? { pending: undefined, triedAt: new Map() }
  attempts.set(session, own)
  if (own.pending !== undefined) await waitFor(own.pending, signal)
  const now = Date.now()
  const due = (one: number) => now - (own.triedAt.get(one) ?? Number.NEGATIVE_INFINITY) >= gapMs
  if (!lackingNodes(session).includes(node) || !due(node)) return
  const nodes = lackingNodes(session)
  for (const one of nodes) own.triedAt.set(one, now)
  // Not with the signal: other calls wait for it too.
  own.pending ??= extendKeySession(client, session, signer)
    .catch((error: unknown) => {
      const failure = CairnError.from(error)
      const lacking = lackingNodes(session)
      noteFailures(
        session,
        lacking,
        lacking.map((one) => describeFailure(one, failure)),
      )
    })
    .finally(() => {
      own.pending = undefined
    })
  await waitFor(own.pending, signal)
}
