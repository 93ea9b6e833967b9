import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Open connections by server. Node counts one that never sent a request as busy, so a shutdown would wait for it. */
const openConnections = new WeakMap<Server, Set<Socket>>()
/** Connections that had sent nothing at the previous check. */
const unused = new WeakSet<Socket>()

/** Watches the connections of a server, for {@link closeUnused}. */
export function watchConnections(server: Server): void {
  const open = new Set<Socket>()
  openConnections.set(server, open)
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
}

/**
 * Closes the connections that had sent nothing at this call and the previous one: browsers and connection pools open some in
 * advance. A request that arrives between two calls is still answered.
 */
export function closeUnused(server: Server): void {
  for (const socket of openConnections.get(server) ?? []) {
    if (socket.bytesRead > 0) continue
    if (unused.has(socket)) socket.destroy()
    unused.add(socket)
  }
}
