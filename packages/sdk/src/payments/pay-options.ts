import type { EIP1193Provider, WalletClient } from 'viem'

/** The payer: a private key, the EIP-1193 provider of a browser wallet, or a viem wallet client with an account. */
export type PaySigner =
  | { privateKey: string }
  | { provider: EIP1193Provider; address?: string }
  | { walletClient: WalletClient }

/**
 * A step of a payment. `sent` names the transaction: from then on, the money may be on its way. The same applies from `submitted`
 * on: a wallet has accepted a batch (EIP-5792), of which only the id is known.
 */
export type PayEvent =
  | { step: 'approving' | 'approved' | 'paying' }
  | { step: 'submitted'; batchId: string }
  | { step: 'sent'; txHash: string }
  | { step: 'mined'; txHash: string }

export type PayOptions = {
  signal?: AbortSignal
  /** Called at each step. Store `txHash` as soon as it is there, so that a payment is never made twice. */
  onEvent?: (event: PayEvent) => void
}
