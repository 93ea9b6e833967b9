import { describeError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'

/** Response of a service, and its latency. */
export type PartState = {
  id: string
  label: string
  url: string
  /** Round trip in ms; undefined without a response. */
  latencyMs?: number
  /** Versions, blocks, capacity: facts that it reports. */
  facts: string[]
  /** Reason why it counts as unavailable. */
  failure?: string
}

export type PartProbe = {
  id: string
  label: string
  url: string
  /** Probes the service and returns its facts. Throws if it does not work. */
  probe: (signal: AbortSignal) => Promise<string[]>
}

const timeoutMs = 8_000

/** Probes one service. Only throws on an abort: an unavailable service is a result. */
export async function checkPart({ id, label, url, probe }: PartProbe, signal: AbortSignal): Promise<PartState> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const startedAt = performance.now()
  try {
    const facts = await probe(AbortSignal.any([signal, timeout]))
    return { id, label, url, facts, latencyMs: performance.now() - startedAt }
  } catch (error) {
    signal.throwIfAborted()
    return {
      id,
      label,
      url,
      facts: [],
      failure: timeout.aborted ? messages.status.timedOut : describeError(error).message,
    }
  }
}
