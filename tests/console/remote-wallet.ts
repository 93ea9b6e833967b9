// A wallet on another device: the published WalletConnect client in the role of a wallet, with the key in this process.
import { randomUUID } from 'node:crypto'
import { SignClient } from '@walletconnect/sign-client'
import { isHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

export type RemoteWallet = {
  account: PrivateKeyAccount
  /** Requested methods, in order. */
  requests: string[]
  /** Scans a code like a camera, and approves or declines its requests. */
  scan(uri: string, isWanted?: boolean): Promise<void>
  /** Ends the connection from the wallet's side. */
  leave(): Promise<void>
}

export async function createRemoteWallet(relayUrl: string): Promise<RemoteWallet> {
  const account = privateKeyToAccount(generatePrivateKey())
  const requests: string[] = []
  let topic: string | undefined
  const client = await SignClient.init({
    projectId: 'f'.repeat(32),
    relayUrl,
    metadata: { name: 'Remote Wallet', description: '', url: 'https://wallet.example', icons: [] },
    storageOptions: { database: ':memory:' },
    // Each wallet is a device of its own.
    customStoragePrefix: randomUUID(),
    telemetryEnabled: false,
    logger: 'silent',
  })
  client.on('session_request', async ({ id, topic: from, params: { request } }) => {
    requests.push(request.method)
    const [message]: unknown[] = request.params
    const result =
      request.method === 'personal_sign' && isHex(message)
        ? { result: await account.signMessage({ message: { raw: message } }) }
        : { error: { code: 5101, message: `${request.method} is not supported` } }
    await client.respond({ topic: from, response: { id, jsonrpc: '2.0', ...result } })
  })
  return {
    account,
    requests,
    scan: async (uri, isWanted = true) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      client.once('session_proposal', async ({ id, params }) => {
        const chains = params.optionalNamespaces['eip155']?.chains ?? []
        const accounts = chains.map((chain) => `${chain}:${account.address}`)
        try {
          if (!isWanted) await client.reject({ id, reason: { code: 5000, message: 'User rejected.' } })
          else {
            const { methods = [], events = [] } = params.optionalNamespaces['eip155'] ?? {}
            const namespaces = { eip155: { chains, accounts, methods, events } }
            topic = (await client.approve({ id, namespaces })).topic
          }
          resolve()
        } catch (error) {
          reject(error)
        }
      })
      await client.pair({ uri })
      await promise
    },
    leave: async () => {
      if (topic !== undefined) await client.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } })
    },
  }
}
