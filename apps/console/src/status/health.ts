import type { PartState } from './check-part.ts'

export type Parts = {
  storage: PartState
  gateway: PartState
  chains: PartState[]
  keyNodes: PartState[]
  providers: PartState[]
}
/** `degraded`: the network does most of what it is for. */
export type Health = 'good' | 'degraded' | 'down'
/** What does not work, in the order of its weight. */
export type Loss = 'storage' | 'gateway' | 'keysDown' | 'keysRead' | 'chain' | 'providers'

/** Shards that open a file. */
const keyNodesNeeded = 3

/** What parts that are away mean for a user: reading takes three key nodes, changing all five. */
export function readHealth({ storage, gateway, chains, keyNodes, providers }: Parts): {
  health: Health
  losses: Loss[]
  keyNodesUp: number
} {
  const keyNodesUp = keyNodes.filter(isUp).length
  const losses: Loss[] = [
    ...(isUp(storage) ? [] : (['storage'] as const)),
    ...(isUp(gateway) ? [] : (['gateway'] as const)),
    ...(keyNodes.length === 0 || keyNodesUp === keyNodes.length
      ? []
      : keyNodesUp < keyNodesNeeded
        ? (['keysDown'] as const)
        : (['keysRead'] as const)),
    ...(chains.every(isUp) ? [] : (['chain'] as const)),
    ...(providers.every(isUp) ? [] : (['providers'] as const)),
  ]
  const isDown = losses.some((loss) => loss === 'storage' || loss === 'gateway' || loss === 'keysDown')
  return { health: isDown ? 'down' : losses.length > 0 ? 'degraded' : 'good', losses, keyNodesUp }
}

export function isUp({ fault }: PartState): boolean {
  return fault === undefined
}
