import type { ChainProfile } from '@cairn/protocol'
import type { Coin } from '@cairn/sdk'
import { getAddress, parseAbi } from 'viem'
import type { Config } from 'wagmi'
import { getBalance, getCapabilities, readContract } from 'wagmi/actions'

/** What a wallet has, and what it is going to ask for a payment. */
export type WalletOutlook = {
  /** Smallest units of the coin. */
  balanceUnits: bigint
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
  const { chainId, paymentContract, tokens } = chain
  const account = getAddress(holder)
  if (coin === 'native') {
    const { value } = await getBalance(config, { address: account, chainId })
    return { balanceUnits: value, approval: 'none' }
  }
  const read = { address: getAddress(tokens[coin]?.address ?? ''), abi: tokenAbi, chainId } as const
  const [balanceUnits, allowance] = await Promise.all([
    readContract(config, { ...read, functionName: 'balanceOf', args: [account] }),
    readContract(config, {
      ...read,
      functionName: 'allowance',
      args: [account, getAddress(paymentContract ?? '')],
    }),
  ])
  if (allowance >= units) return { balanceUnits, approval: 'none' }
  return { balanceUnits, approval: (await canBatch(config, chainId)) ? 'batch' : 'apart' }
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
