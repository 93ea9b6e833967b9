import { createTestKey, createTestNetwork } from '../fixtures.ts'
import { startKubo } from './kubo.ts'
import { describeKuboRpc } from './kubo-rpc.suite.ts'

// Every expectation of our service is first shown to hold for Kubo itself.
describeKuboRpc('Kubo', async () => ({ ...(await startKubo()), headers: {} }))

describeKuboRpc('our service', async () => {
  const network = await createTestNetwork()
  const { apiKey } = await createTestKey(network)
  return {
    apiUrl: network.profile.api,
    gatewayUrl: network.profile.gateway,
    headers: { Authorization: `Bearer ${apiKey}` },
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  }
})
