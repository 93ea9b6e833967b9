import type { Transfer } from './transfer-store.ts'

/** What the service refuses whenever it is sent. */
const refusedStatuses: readonly number[] = [400, 413, 415, 431]

/**
 * What its user can do about a transfer that is over: another try, another name, or nothing, because the same request is
 * refused each time.
 */
export function findNextStep({
  kind,
  stage,
  error,
}: Pick<Transfer, 'kind' | 'stage' | 'error'>): 'retry' | 'rename' | undefined {
  if (stage === 'canceled') return 'retry'
  if (stage !== 'failed') return undefined
  if (kind === 'upload' && error?.code === 'INVALID_PATH') return 'rename'
  return error !== undefined && !error.retry && refusedStatuses.includes(error.status) ? undefined : 'retry'
}
