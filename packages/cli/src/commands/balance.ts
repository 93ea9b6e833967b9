import { formatBytes } from '@cairn/protocol'
import { getQuotaReport } from '@cairn/sdk'
import type { Command } from '../command.ts'

export const balance: Command = {
  name: 'balance',
  summary: 'Show the storage limit, used and available storage',
  usage: '',
  arity: [0, 0],
  examples: ['cairn balance'],
  async run({ session, output, signal }) {
    const { entries: _entries, ...quota } = await getQuotaReport(await session.client(), { signal })
    const leftBytes = quota.availableBytes
    const rows: [string, number][] = [
      ['Allowed', quota.limitBytes],
      ['  free', quota.allowanceBytes + quota.adjustedBytes],
      ['  bought', quota.boughtBytes],
      ['Used', quota.usedBytes],
      ['In progress', quota.reservedBytes],
      ['Left', leftBytes],
    ]
    output.result(
      { ...quota, leftBytes },
      rows.map(([name, bytes]) => `${name.padEnd(11)} ${formatBytes(bytes)}`),
      String(leftBytes),
    )
  },
}
