import { CairnError } from '@cairn/sdk'
import { words } from '../words/words.ts'

/** What a part of the network answered, and how fast. */
export type PartState = {
  id: string
  label: string
  url: string
  /** Round trip in ms; undefined where nothing came. */
  latencyMs?: number
  /** Versions, blocks, room: what it tells of itself. */
  facts: string[]
  /** Why it counts as away. */
  fault?: string
}

export type PartQuestion = {
  id: string
  label: string
  url: string
  /** Asks, and answers what the part tells of itself. Throws where it does not do what it should. */
  ask: (signal: AbortSignal) => Promise<string[]>
}

const timeoutMs = 8_000

/** Asks one part. Never throws but for an abort: a part that is away is an answer. */
export async function checkPart({ id, label, url, ask }: PartQuestion, signal: AbortSignal): Promise<PartState> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const startedAt = performance.now()
  try {
    const facts = await ask(AbortSignal.any([signal, timeout]))
    return { id, label, url, facts, latencyMs: performance.now() - startedAt }
  } catch (error) {
    signal.throwIfAborted()
    return {
      id,
      label,
      url,
      facts: [],
      fault: timeout.aborted ? words.status.timedOut : CairnError.from(error).message,
    }
  }
}
