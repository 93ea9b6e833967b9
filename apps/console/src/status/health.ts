import type { PartState } from './check-part.ts'

export type Parts = {
  storage: PartState
  gateway: PartState
  chains: PartState[]
  keyNodes: PartState[]
  providers: PartState[]
}
/** `degraded`: most functions of the network work. */
export type Health = 'good' | 'degraded' | 'down'
/** Lost functions, ordered by severity. */
export type Loss = 'storage' | 'gateway' | 'keysDown' | 'keysRead' | 'chain' | 'providers'

/** Number of shards that open a file. */
const keyNodesNeeded = 3

/** Derives the effect of unavailable services for a user: reading needs three key nodes, changing all five. */
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

export function isUp({ failure }: PartState): boolean {
  return failure === undefined
}
