import type { Transfer } from './transfer.ts'

/** Statuses that reject the same request every time. */
const refusedStatuses: readonly number[] = [400, 413, 415, 431]

/**
 * Returns what the user can do about a finished transfer: retry, rename, or nothing, because the same request fails
 * each time.
 */
export function findNextStep({
  kind,
  stage,
  error,
}: Pick<Transfer, 'kind' | 'stage' | 'error'>): 'retry' | 'rename' | undefined {
  if (stage === 'cancelled') return 'retry'
  if (stage !== 'failed') return undefined
  if (kind === 'upload' && error?.code === 'INVALID_PATH') return 'rename'
  return error !== undefined && !error.retry && refusedStatuses.includes(error.status) ? undefined : 'retry'
}
