import { CairnError, type ChainProfile, type TokenProfile, tokensOf } from '@cairn/protocol'
import type { Coin } from '@cairn/sdk'
import { getAddress, parseAbi } from 'viem'
import type { Config } from 'wagmi'
import { getBalance, getCapabilities, readContract } from 'wagmi/actions'

/** What a wallet has, and what it is going to ask for a payment. */
export type WalletOutlook = {
  /** Smallest units of the coin. */
  balanceUnits: bigint
  /** The token that is paid in; undefined for the chain's own coin. */
  token?: TokenProfile
  /** `batch`: approval and payment in one window (EIP-5792). `none`: the allowance of before is enough. */
  approval: 'none' | 'apart' | 'batch'
}

const tokenAbi = parseAbi([
  'function balanceOf(address holder) view returns (uint256)',
  'function allowance(address holder, address spender) view returns (uint256)',
])

/** Looks before anything is asked of the wallet's owner, so that each window can be told of before it opens. */
export async function lookAtWallet(
  config: Config,
  chain: ChainProfile,
  holder: string,
  { coin, units }: { coin: Coin; units: bigint },
): Promise<WalletOutlook> {
  const { chainId, paymentContract } = chain
  const account = getAddress(holder)
  if (coin === 'native') {
    const { value } = await getBalance(config, { address: account, chainId })
    return { balanceUnits: value, approval: 'none' }
  }
  const held = await Promise.all(
    tokensOf(chain, coin).map(async (token) => {
      const read = { address: getAddress(token.address), abi: tokenAbi, chainId } as const
      const [balanceUnits, allowance] = await Promise.all([
        readContract(config, { ...read, functionName: 'balanceOf', args: [account] }),
        readContract(config, {
          ...read,
          functionName: 'allowance',
          args: [account, getAddress(paymentContract ?? '')],
        }),
      ])
      return { token, balanceUnits, allowance }
    }),
  )
  // The first that the wallet has enough of, as the payment itself chooses.
  const chosen = held.find(({ balanceUnits }) => balanceUnits >= units) ?? held[0]
  if (chosen === undefined) throw new CairnError('TOKEN_NOT_SUPPORTED', { details: { coin } })
  const { token, balanceUnits, allowance } = chosen
  if (allowance >= units) return { token, balanceUnits, approval: 'none' }
  return { token, balanceUnits, approval: (await canBatch(config, chainId)) ? 'batch' : 'apart' }
}

async function canBatch(config: Config, chainId: number): Promise<boolean> {
  try {
    const { atomic } = await getCapabilities(config, { chainId })
    return atomic?.status === 'supported' || atomic?.status === 'ready'
  } catch {
    // Wallets that know nothing of batches answer with an error of their own making.
    return false
  }
}
