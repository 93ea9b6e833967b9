import { joinUrl } from '@cairn/protocol'
import type { NetworkProfile } from '@cairn/sdk'

/** Returns the gateway URL of a name: the link stays valid when the target changes. */
export function nameUrl({ gateway }: Pick<NetworkProfile, 'gateway'>, name: string): string {
  return joinUrl(gateway, `/ipns/${encodeURIComponent(name)}`)
}
