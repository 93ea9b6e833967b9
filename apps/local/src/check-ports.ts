import { createServer } from 'node:net'
import { CairnError } from '@cairn/protocol'

/** A port and its purpose. */
export type WantedPort = { part: string; port: number }

/**
 * Checks that every port is free before anything starts, so that the message can name all occupied ones.
 * @throws CairnError INVALID_CONFIGURATION naming the ports and CAIRN_PORT_OFFSET
 */
export async function checkPorts(host: string, wanted: readonly WantedPort[]): Promise<void> {
  const taken: WantedPort[] = []
  for (const candidate of wanted) if (!(await isFree(host, candidate.port))) taken.push(candidate)
  if (taken.length === 0) return
  const list = new Intl.ListFormat('en').format(taken.map(({ part, port }) => `port ${port} (${part})`))
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `${list} on ${host} ${taken.length === 1 ? 'is' : 'are'} in use`,
    // An offset of 100 would lead to the ports of the metrics of another network.
    hint: `Stop the ${taken.length === 1 ? 'program that uses it' : 'programs that use them'}, or set CAIRN_PORT_OFFSET to shift every default port, for example CAIRN_PORT_OFFSET=1000 npm start.`,
    details: { taken },
  })
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
