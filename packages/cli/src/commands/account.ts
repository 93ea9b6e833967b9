import { getQuote, getStatus, getUsage } from '@cairn/sdk'
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

export const quote: Command = {
  name: 'quote',
  summary: 'What uploads of paths would take',
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
    output.table(
      ['SIZE', 'TYPE', 'NAME'],
      metaData.map((file) => [formatBytes(file.fileSize), file.mimeType || '–', file.fileName]),
      metaData,
    )
    const after = dataLimit - dataUsed - totalSize
    output.result(
      {},
      `\nTotal         ${formatBytes(totalSize)}\nAllowed       ${formatBytes(dataLimit)}\nUsed          ${formatBytes(dataUsed)}\nAfter upload  ${after < 0 ? `${formatBytes(-after)} too little` : `${formatBytes(after)} left`}`,
    )
  },
}

export const status: Command = {
  name: 'status',
  summary: 'Where the network is, and whether it takes requests',
  usage: '',
  arity: [0, 0],
  examples: ['cairn status --json'],
  async run({ session, output, signal }) {
    const client = await session.anonymous()
    const { name, api, gateway } = client.network
    const state = await getStatus(client, { signal })
    const json = {
      network: name,
      api,
      gateway,
      ready: state.ready,
      ...(state.ready ? { version: state.version, parts: state.parts } : { error: state.error }),
    }
    const head = `Network  ${name}\nAPI      ${api}\nGateway  ${gateway}`
    if (!state.ready) {
      output.result(json, head)
      throw state.error
    }
    const parts = Object.entries(state.parts).map(([part, health]) => `${part} ${health}`)
    output.result(json, `${head}\nReady    yes, version ${state.version} (${parts.join(', ')})`)
  },
}
