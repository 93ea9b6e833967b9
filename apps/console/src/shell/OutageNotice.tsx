import { useOnline } from '../browser/use-online.ts'
import { messages } from '../messages/messages.ts'
import { useOutageWatch } from '../network/service-outage.ts'
import { useNetwork } from '../network/use-network.ts'
import { useRefusalWatch } from '../session/use-refusal-watch.ts'
import { Banner } from '../ui/states/Banner.tsx'

/**
 * Reports once for the whole console that the storage service does not answer, and ends a session that it no longer accepts. Both
 * show in failed calls of any page.
 */
export function OutageNotice() {
  const network = useNetwork()
  const isOffline = useOutageWatch(network)
  useRefusalWatch(network)
  const isOnline = useOnline()
  return isOffline && isOnline ? <Banner tone="warn">{messages.shell.outage}</Banner> : undefined
}
