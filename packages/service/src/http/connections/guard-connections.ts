import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createAddressSlots, type SlotLimits } from './address-slots.ts'
import { lingerMs } from './linger.ts'

/** A reader without progress for this long is disconnected, and its pending bytes dropped. */
export const stalledReaderMs = 120_000

/**
 * Guards the connections of a listener. Closes connections beyond the limits immediately; closes a connection shortly
 * after the response if its request body is unread; and closes one whose reader has stalled.
 * The timeout of the server must be {@link stalledReaderMs}.
 * @param onRefuse called for each rejected connection
 */
export function guardConnections(server: Server, limits: SlotLimits, onRefuse: () => void): void {
  const slots = createAddressSlots(limits)
  /** The newest response of each connection. */
  const answers = new WeakMap<Socket, ServerResponse>()

  server.on('connection', (socket: Socket) => {
    const release = slots.acquire(socket.remoteAddress ?? '')
    if (release === undefined) {
      onRefuse()
      socket.destroy()
      return
    }
    socket.once('close', release)
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answers.set(request.socket, response)
    response.once('finish', () => {
      if (!request.complete) closeUnlessRead(request)
    })
  })
  server.on('timeout', (socket: Socket) => {
    const answer = answers.get(socket)
    // A handler that is still working delays no other request.
    const isWorking = answer !== undefined && !answer.writableFinished && socket.writableLength === 0
    if (!isWorking) socket.destroy()
  })
}

/** Node reads the rest of a body indefinitely to reuse the connection. */
function closeUnlessRead(request: IncomingMessage): void {
  const { socket } = request
  const timer = setTimeout(() => {
    if (!request.complete) socket.destroy()
  }, lingerMs)
  timer.unref()
  // On the request, not on its connection, which carries any number of them.
  request.once('close', () => clearTimeout(timer))
}
