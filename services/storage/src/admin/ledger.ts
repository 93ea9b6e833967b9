import { randomUUID } from 'node:crypto'
import { CairnError, formatBytes } from '@cairn/protocol'
import { applyAction } from '@cairn/service/admin'
import { enter } from '../ledger/ledger.ts'
import { readAccount } from './accounts.ts'
import type { AdminContext } from './admin-context.ts'

/**
 * Raises or lowers the storage limit of an account. Stored files stay, even beyond the new limit.
 * @param bytes the change, negative to lower the limit
 * @throws CairnError NOT_FOUND, INVALID_REQUEST for a limit below 0
 */
export function adjustLedger(context: AdminContext, address: string, bytes: number, reason: string) {
  return applyAction(context, async (trx) => {
    const { limitBytes } = await readAccount(trx, address)
    const after = { limitBytes: limitBytes + bytes }
    if (after.limitBytes < 0) {
      throw new CairnError('INVALID_REQUEST', {
        message: `The limit of ${address} is ${formatBytes(limitBytes)}; ${formatBytes(bytes)} would make it negative`,
        hint: `Lower it by at most ${limitBytes} bytes.`,
      })
    }
    const cause = `adjustment:${randomUUID()}`
    await enter(trx, { address, kind: 'adjustment', cause, bytes, note: reason }, context.clock.now())
    return { action: 'ledger adjust', subject: address, reason, before: { limitBytes }, after }
  })
}
