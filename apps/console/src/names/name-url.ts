import type { NetworkProfile } from '@cairn/sdk'

/** Where the gateway serves what a name points to: a link that stays good when the name moves. */
export function nameUrl({ gateway }: Pick<NetworkProfile, 'gateway'>, name: string): string {
  return `${gateway.replace(/\/+$/, '')}/ipns/${encodeURIComponent(name)}`
}
