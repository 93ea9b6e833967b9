import { messages } from '../messages/messages.ts'
import { useOutageWatch } from '../network/service-outage.ts'
import { useNetwork } from '../network/use-network.ts'
import { Banner } from '../ui/Banner.tsx'
import { useOnline } from '../ui/use-online.ts'

/** Reports once for the whole console that the storage service does not answer, or that the browser is offline. */
export function OutageNotice() {
  const isOffline = useOutageWatch(useNetwork())
  const isOnline = useOnline()
  return isOffline && isOnline ? <Banner tone="warn">{messages.shell.outage}</Banner> : undefined
}
