import { getUsage } from '@cairn/sdk'
import type { Command } from '../command.ts'
import { formatBytes } from '../sizes.ts'

export const balance: Command = {
  name: 'balance',
  summary: 'Storage allowed, used and left',
  usage: '',
  arity: [0, 0],
  examples: ['cairn balance'],
  async run({ session, output, signal }) {
    const { limitBytes, usedBytes } = await getUsage(await session.client(), { signal })
    const leftBytes = Math.max(0, limitBytes - usedBytes)
    output.result(
      { limitBytes, usedBytes, leftBytes },
      `Allowed  ${formatBytes(limitBytes)}\nUsed     ${formatBytes(usedBytes)}\nLeft     ${formatBytes(leftBytes)}`,
    )
  },
}
