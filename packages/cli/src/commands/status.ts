import { getStatus } from '@cairn/sdk'
import type { Command } from '../command.ts'

export const status: Command = {
  name: 'status',
  summary: 'Show the addresses of the network and whether it is ready',
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
    const head = [`Network  ${name}`, `API      ${api}`, `Gateway  ${gateway}`]
    if (!state.ready) {
      output.result(json, head, 'not ready')
      throw state.error
    }
    const parts = Object.entries(state.parts).map(([part, health]) => `${part} ${health}`)
    output.result(json, [...head, `Ready    yes, version ${state.version} (${parts.join(', ')})`], 'ready')
  },
}
