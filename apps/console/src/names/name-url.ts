import type { NetworkProfile } from '@cairn/sdk'

/** Returns the gateway URL of a name: the link stays valid when the target changes. */
export function nameUrl({ gateway }: Pick<NetworkProfile, 'gateway'>, name: string): string {
  return `${gateway.replace(/\/+$/, '')}/ipns/${encodeURIComponent(name)}`
}
