import { createServer } from 'node:net'
import { CairnError } from '@cairn/protocol'

/** A port and its purpose. */
export type WantedPort = { part: string; port: number }

/**
 * Ports from 1024 that browsers and Node's `fetch` refuse to connect to, because older protocols use them.
 * @see https://fetch.spec.whatwg.org/#port-blocking
 */
const blockedPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * Checks that clients can connect to every port.
 * @throws CairnError INVALID_CONFIGURATION naming the ports and CAIRN_PORT_OFFSET
 */
export function refuseBlockedPorts(wanted: readonly WantedPort[]): void {
  const blocked = wanted.filter(({ port }) => blockedPorts.has(port))
  if (blocked.length === 0) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `Browsers and Node.js do not connect to ${listPorts(blocked)}`,
    hint: 'Choose other ports, for example with CAIRN_PORT_OFFSET=1000 npm start.',
    details: { setting: 'CAIRN_PORT_OFFSET' },
  })
}

/**
 * Checks that every port is free before anything starts, so that the message can list all occupied ones.
 * @throws CairnError INVALID_CONFIGURATION naming the ports and CAIRN_PORT_OFFSET
 */
export async function checkPorts(host: string, wanted: readonly WantedPort[]): Promise<void> {
  const taken: WantedPort[] = []
  for (const candidate of wanted) if (!(await isFree(host, candidate.port))) taken.push(candidate)
  if (taken.length === 0) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `${listPorts(taken)} on ${host} ${taken.length === 1 ? 'is' : 'are'} in use`,
    // An offset of 100 would lead to the metrics ports of another network.
    hint: `Stop the ${taken.length === 1 ? 'program that uses it' : 'programs that use them'}, or set CAIRN_PORT_OFFSET to shift every default port, for example CAIRN_PORT_OFFSET=1000 npm start.`,
    details: { taken },
  })
}

function listPorts(ports: readonly WantedPort[]): string {
  return new Intl.ListFormat('en').format(ports.map(({ part, port }) => `port ${port} (${part})`))
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else
        reject(new CairnError('INVALID_CONFIGURATION', { message: `Cannot listen on ${host}:${port}`, cause: error }))
    })
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
