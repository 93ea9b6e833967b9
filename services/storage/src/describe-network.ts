import type { NetworkProfile } from '@cairn/protocol'
import type { StorageConfig } from './config.ts'
import { describeChains } from './payments/payments.ts'

/** What is known once the listeners are open. */
type Listening = {
  apiUrl: string
  gatewayUrl: string
  eventSigner: NetworkProfile['eventSigner']
  /** What other listeners and services add. */
  others: Partial<NetworkProfile>
}

/** Returns the network profile that the service serves. */
export function describeNetwork(config: StorageConfig, listening: Listening): NetworkProfile {
  const { apiUrl, gatewayUrl, eventSigner, others } = listening
  return {
    ...keyProfile(config),
    ...chainProfile(config),
    ...walletConnectProfile(config),
    eventSigner,
    ...(config.passkeyDomain === undefined ? {} : { passkeys: { domain: config.passkeyDomain } }),
    ...others,
    name: config.networkName,
    api: apiUrl,
    upload: apiUrl,
    gateway: gatewayUrl,
    pinning: { endpoint: apiUrl },
  }
}

/** Returns the configured key nodes; absent when there are none. */
function keyProfile({ keyRouterUrl, keyNodeUrls, keyNodePauseMs }: StorageConfig): Partial<NetworkProfile> {
  if (keyRouterUrl === undefined && keyNodeUrls.length === 0) return {}
  return {
    ...(keyRouterUrl === undefined ? {} : { keyRouter: keyRouterUrl }),
    ...(keyNodeUrls.length === 0 ? {} : { keyNodes: [...keyNodeUrls] }),
    keyNodePauseMs,
  }
}

/** Returns the payment chains; absent when there are none. */
function chainProfile({ payments }: StorageConfig): Partial<NetworkProfile> {
  const chains = describeChains(payments)
  const [chain] = chains
  return chain === undefined ? {} : { chain, chains }
}

/** Returns how the console reaches wallets on other devices; absent when no project is configured. */
function walletConnectProfile({
  walletConnectProjectId,
  walletConnectRelayUrl,
}: StorageConfig): Partial<NetworkProfile> {
  if (walletConnectProjectId === undefined) return {}
  return { walletConnect: { projectId: walletConnectProjectId, relayUrl: walletConnectRelayUrl } }
}
