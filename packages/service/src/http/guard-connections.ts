import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createAddressSlots, type SlotLimits } from './address-slots.ts'
import { lingerMs } from './linger.ts'

/** A reader that takes nothing for this long is cut off, and with it what waits to be sent. */
export const stalledReaderMs = 120_000

/**
 * Guards the connections of a listener. Beyond the limits a connection is closed at once; the socket of a request whose
 * answer is out and whose body is not is closed after a short while; so is one whose reader has stalled.
 * The server's own timeout must be {@link stalledReaderMs}.
 *
 * @param onRefuse told of each connection that is closed at once
 */
export function guardConnections(server: Server, limits: SlotLimits, onRefuse: () => void): void {
  const slots = createAddressSlots(limits)
  /** The newest answer of each connection. */
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
    // A handler that still works on its answer keeps no one waiting but itself.
    const isWorking = answer !== undefined && !answer.writableFinished && socket.writableLength === 0
    if (!isWorking) socket.destroy()
  })
}

/** Node reads on for ever what is left of a body, so that the connection could be used again. */
function closeUnlessRead(request: IncomingMessage): void {
  const { socket } = request
  const timer = setTimeout(() => {
    if (!request.complete) socket.destroy()
  }, lingerMs)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}
