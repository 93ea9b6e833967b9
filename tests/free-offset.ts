import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** Services of a local network that serve metrics, 100 above their port: storage, providers, key router, five key nodes. */
const servicePorts = [8080, 8090, 8091, 8092, 9000, 9001, 9002, 9003, 9004, 9005]
/** Every default port of a local network: services, metrics, gateway and chains. */
const defaultPorts = [...servicePorts, ...servicePorts.map((port) => port + 100), 8081, 8545, 8899]

/** An offset at which every port of a local network is currently free. */
export async function freeOffset(): Promise<number> {
  for (;;) {
    // Above the ports that people use, below those that systems assign automatically.
    const offset = 2_000 + Math.floor(Math.random() * 20_000)
    const servers: Server[] = []
    try {
      for (const port of defaultPorts) {
        const server = createServer()
        servers.push(server)
        server.listen({ host: '127.0.0.1', port: port + offset, exclusive: true })
        await once(server, 'listening')
      }
      return offset
    } catch (error) {
      // One of them is in use: tries another offset.
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    } finally {
      for (const server of servers) if (server.listening) server.close()
    }
  }
}
