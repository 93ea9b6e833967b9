import { CairnError } from '@cairn/protocol'

/** @throws CairnError ABORTED once the signal is aborted, with its reason as the cause */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new CairnError('ABORTED', { cause: signal.reason })
}
