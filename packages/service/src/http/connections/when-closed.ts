import type { ServerResponse } from 'node:http'

/** Calls once a response is closed: at once if its client left before, when the event is over. */
export function whenClosed(response: ServerResponse, act: () => void): void {
  if (response.closed) act()
  else response.once('close', act)
}
