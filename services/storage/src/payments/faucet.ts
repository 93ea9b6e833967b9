import { localUsdcAbi } from '@cairn/contracts'
import { CairnError, isEvmAddress } from '@cairn/protocol'
import { waitForReceipt } from '@cairn/service'
import { createPublicClient, createWalletClient, defineChain, type Hex, http } from 'viem'
import { nonceManager, privateKeyToAccount } from 'viem/accounts'
import type { PaymentNetwork } from '../settings/payment-settings.ts'

/** Sends test coins on request. */
export type Faucet = {
  /** @throws CairnError INVALID_ADDRESS, NOT_SUPPORTED (an unknown coin), UPSTREAM_FAILED */
  send(address: string, coin?: string): Promise<Sent[]>
}

type Sent = { coin: string; units: string; txHash: Hex }

/** Amount per coin, in whole coins. */
const wholeCoins = 100n
const receiptWait = { timeoutMs: 60_000, pollMs: 100 }

/** Creates a faucet on the chain of a local network, whose test tokens belong to the key. */
export function createFaucet(network: PaymentNetwork, privateKey: Hex): Faucet {
  const [url = ''] = network.rpcUrls
  const chain = defineChain({
    id: network.chainId,
    name: network.name,
    nativeCurrency: { name: network.symbol, symbol: network.symbol, decimals: network.nativeDecimals },
    rpcUrls: { default: { http: [url] } },
  })
  const account = privateKeyToAccount(privateKey, { nonceManager })
  const wallet = createWalletClient({
    account,
    chain,
    ccipRead: false,
    transport: http(url, { timeout: 10_000, retryCount: 1 }),
  })

  const reader = createPublicClient({
    chain,
    ccipRead: false,
    transport: http(url, { timeout: 60_000 }),
  })

  const sendOne = async (to: Hex, coin: string): Promise<Sent> => {
    if (coin === 'native') {
      const value = wholeCoins * 10n ** BigInt(network.nativeDecimals)
      return { coin, units: value.toString(), txHash: await wallet.sendTransaction({ to, value }) }
    }
    const token = network.tokens.find((one) => one.coin === coin)
    if (token === undefined)
      throw new CairnError('NOT_SUPPORTED', { message: `${coin} does not exist on ${network.name}` })
    const units = wholeCoins * 10n ** BigInt(token.decimals)
    // All test coins have this function.
    const request = { address: token.address as Hex, functionName: 'mint', args: [to, units] } as const
    const txHash = await wallet.writeContract({ ...request, abi: localUsdcAbi })
    return { coin, units: units.toString(), txHash }
  }

  return {
    async send(address, coin) {
      if (!isEvmAddress(address)) throw new CairnError('INVALID_ADDRESS')
      const coins = coin === undefined ? ['native', ...new Set(network.tokens.map((token) => token.coin))] : [coin]
      const sent: Sent[] = []
      try {
        for (const one of coins) sent.push(await sendOne(address, one))
        // The caller wants to spend, so the answer waits until the coins have arrived.
        for (const { txHash } of sent) await waitForReceipt(reader, txHash, receiptWait)
      } catch (cause) {
        if (CairnError.is(cause)) throw cause
        throw new CairnError('UPSTREAM_FAILED', { message: 'The local chain rejected the transaction', cause })
      }
      return sent
    },
  }
}
