import { formatBytes } from '@cairn/protocol'
import { getQuote } from '@cairn/sdk'
import type { Command } from '../command.ts'

export const quote: Command = {
  name: 'quote',
  summary: 'Show how much storage an upload would need',
  usage: '<path…>',
  arity: [1, Number.POSITIVE_INFINITY],
  examples: ['cairn quote photos/'],
  async run({ args, session, output, signal }) {
    const client = await session.client()
    const quotes = []
    for (const path of args) quotes.push(await getQuote(client, path, { signal }))
    const metaData = quotes.flatMap((one) => one.metaData)
    const totalSize = quotes.reduce((sum, one) => sum + one.totalSize, 0)
    const { dataLimit = 0, dataUsed = 0 } = quotes[0] ?? {}
    if (output.isJson) {
      output.result({ metaData, totalSize, dataLimit, dataUsed }, '')
      return
    }
    if (output.isQuiet) {
      output.result({}, String(totalSize))
      return
    }
    output.table(
      ['SIZE', 'TYPE', 'NAME'],
      metaData.map((file) => [formatBytes(file.fileSize), file.mimeType || '–', file.fileName]),
      metaData,
    )
    const after = dataLimit - dataUsed - totalSize
    output.result({}, [
      '',
      `Total         ${formatBytes(totalSize)}`,
      `Allowed       ${formatBytes(dataLimit)}`,
      `Used          ${formatBytes(dataUsed)}`,
      `After upload  ${after < 0 ? `${formatBytes(-after)} missing` : `${formatBytes(after)} left`}`,
    ])
  },
}
