import { formatBytes } from '@cairn/protocol'
import { getFileInfo } from '@cairn/sdk'
import type { Command } from '../command.ts'

export const info: Command = {
  name: 'info',
  summary: 'Show information about a CID',
  usage: '<cid>',
  arity: [1, 1],
  examples: ['cairn info bafy…'],
  async run({ args, session, output, signal }) {
    const found = await getFileInfo(await session.optionalClient(), args[0] ?? '', { signal })
    const lines = [
      ['CID', found.cid],
      ['Name', found.fileName],
      ['Size', `${formatBytes(Number(found.fileSizeInBytes))} (${found.fileSizeInBytes} bytes)`],
      ['Type', found.mimeType ?? '–'],
      ['Encrypted', found.encryption ? 'yes' : 'no'],
      ...(found.private ? [['Private', 'yes']] : []),
    ]
    output.result(found, () => lines.map(([label = '', value]) => `${label.padEnd(10)} ${value}`), found.cid)
  },
}
