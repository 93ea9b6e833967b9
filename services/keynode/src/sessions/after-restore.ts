import { CairnError, clockSkewMs } from '@cairn/protocol'
import type { Context } from '../context.ts'

/**
 * Whether a text may be from before a restore, by the clock of its client: which of those were spent is not in a backup.
 */
export function isBeforeRestore({ restoredAt }: Pick<Context, 'restoredAt'>, issuedAt: number): boolean {
  return issuedAt <= restoredAt + clockSkewMs
}

/** Rejects a text before a user signs it for nothing. @throws CairnError KEY_UNCONFIRMED */
export function requireAfterRestore(context: Pick<Context, 'config' | 'restoredAt'>, issuedAt: number): void {
  if (!isBeforeRestore(context, issuedAt)) return
  const retryAfterSeconds = Math.floor((context.restoredAt + clockSkewMs - issuedAt) / 1000) + 1
  throw new CairnError('KEY_UNCONFIRMED', {
    message: `Key node ${context.config.node} was restored from a backup and accepts sign-ins in ${retryAfterSeconds} s`,
    retryAfterSeconds,
  })
}
