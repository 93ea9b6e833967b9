import { CairnError, type ChainProfile, type TokenProfile, tokensOf } from '@cairn/protocol'
import type { Coin } from '@cairn/sdk'
import { getAddress, parseAbi } from 'viem'
import type { Config } from 'wagmi'
import { getBalance, getCapabilities, readContract } from 'wagmi/actions'

/** Balance of a wallet, and the windows that a payment will open. */
export type WalletStatus = {
  /** Smallest units of the coin. */
  balanceUnits: bigint
  /** The token of the payment; undefined for the native coin of the chain. */
  token?: TokenProfile
  /** `batch`: approval and payment in one window (EIP-5792). `none`: the existing allowance suffices. */
  approval: 'none' | 'separate' | 'batch'
  /** Whether an earlier, smaller allowance is removed first: some tokens reject changing one. */
  hasLeftover: boolean
}

const tokenAbi = parseAbi([
  'function balanceOf(address holder) view returns (uint256)',
  'function allowance(address holder, address spender) view returns (uint256)',
])

/** Inspects a wallet before any window opens, so that each can be announced. */
export async function inspectWallet(
  config: Config,
  chain: ChainProfile,
  holder: string,
  { coin, units }: { coin: Coin; units: bigint },
): Promise<WalletStatus> {
  const { chainId, paymentContract } = chain
  const account = getAddress(holder)
  if (coin === 'native') {
    const { value } = await getBalance(config, { address: account, chainId })
    return { balanceUnits: value, approval: 'none', hasLeftover: false }
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
  // The first that the wallet has enough of, as in the payment itself.
  const chosen = held.find(({ balanceUnits }) => balanceUnits >= units) ?? held[0]
  if (chosen === undefined) throw new CairnError('TOKEN_NOT_SUPPORTED', { details: { coin } })
  const { token, balanceUnits, allowance } = chosen
  if (allowance >= units) return { token, balanceUnits, approval: 'none', hasLeftover: false }
  const approval = (await canBatch(config, chainId)) ? 'batch' : 'separate'
  return { token, balanceUnits, approval, hasLeftover: allowance > 0n }
}

async function canBatch(config: Config, chainId: number): Promise<boolean> {
  try {
    const { atomic } = await getCapabilities(config, { chainId })
    return atomic?.status === 'supported' || atomic?.status === 'ready'
  } catch {
    // Wallets without batches answer with errors of their own.
    return false
  }
}
