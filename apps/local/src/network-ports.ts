import { metricsPortDistance } from '@cairn/service'
import type { StorageConfig } from '@cairn/storage'
import { nodeNumbers } from './key-network.ts'
import { checkPorts, refuseBlockedPorts } from './processes/check-ports.ts'

/** Ports of the parts beside the storage service; 0 selects a free one. */
type PartPorts = {
  keys: { router: number; nodes: number[] }
  providers: number[]
  chain: number
  solana: number
}

/** Returns the documented ports, moved by the offset of the settings, or free ones. */
export function choosePorts(ports: 'default' | 'any', offset: number, providerCount: number): PartPorts {
  const choose = (port: number) => (ports === 'any' ? 0 : port + offset)
  return {
    keys: { router: choose(9000), nodes: nodeNumbers.map((node) => choose(9000 + node)) },
    providers: Array.from({ length: providerCount }, (_provider, i) => choose(8090 + i)),
    chain: choose(8545),
    solana: choose(8899),
  }
}

/**
 * Checks the ports of all parts before the first starts.
 * @throws CairnError INVALID_CONFIGURATION for ports that are in use, or that browsers block
 */
export async function requireFreePorts(
  { host, port, gatewayPort, s3Api, metrics }: StorageConfig,
  { keys, providers, chain, solana }: PartPorts,
  { hasChain, hasSolana }: { hasChain: boolean; hasSolana: boolean },
): Promise<void> {
  const services = [
    { part: 'storage', port },
    { part: 'key router', port: keys.router },
    ...keys.nodes.map((nodePort, i) => ({ part: `key node ${i + 1}`, port: nodePort })),
    ...providers.map((providerPort, i) => ({ part: `storage provider ${i + 1}`, port: providerPort })),
  ]
  const listeners = [
    ...services,
    { part: 'gateway', port: gatewayPort },
    ...(s3Api === undefined ? [] : [{ part: 'S3 API', port: s3Api.port }]),
    ...(hasChain ? [{ part: 'chain', port: chain }] : []),
    ...(hasSolana ? [{ part: 'Solana chain', port: solana }] : []),
  ]
  refuseBlockedPorts(listeners)
  await checkPorts(host, listeners)
  if (metrics !== undefined) {
    const metricsPorts = services.map((service) => ({
      part: `metrics of ${service.part}`,
      port: service.port + metricsPortDistance,
    }))
    await checkPorts(metrics.host, metricsPorts)
  }
}
