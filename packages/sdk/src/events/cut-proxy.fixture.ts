import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy whose connections can be cut. */
export type CutProxy = AsyncDisposable & {
  readonly url: string
  /** Number of connections so far. */
  readonly connections: number
  /** What the target sent. */
  readonly passed: string
  /** Cuts all open connections. */
  cut(): void
}

/** Starts a proxy in front of a URL, on a free port. */
export async function startCutProxy(target: string): Promise<CutProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let connections = 0
  let passed = ''
  const server = createServer((inner) => {
    connections++
    const outer = connect(Number(port), hostname)
    for (const socket of [inner, outer]) {
      open.add(socket)
      socket.once('close', () => {
        open.delete(socket)
        inner.destroy()
        outer.destroy()
      })
      // A cut connection reports an error on both sides.
      socket.on('error', () => undefined)
    }
    outer.on('data', (bytes: Buffer) => {
      passed += bytes.toString('latin1')
    })
    inner.pipe(outer).pipe(inner)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections
    },
    get passed() {
      return passed
    },
    cut,
    async [Symbol.asyncDispose]() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
