import { CairnError } from '@cairn/protocol'
import { BaseError } from 'viem'

/** Error codes of wallets. @see https://eips.ethereum.org/EIPS/eip-1193#provider-errors */
const rejected = 4001
const unsupported = 4200
/** Of EIP-5792: the user keeps an account that cannot run a batch as one. */
const upgradeRejected = 5750

// Texts of geth, Erigon and Reth, Nethermind (one word), Besu, Parity and Lotus (Filecoin). The allowance is the gas that the
// native coin of the wallet pays for.
const isWithoutFunds =
  /insufficient ?funds|not enough funds|gas required exceeds allowance|exceeds (?:the|account) balance|total cost.*exceeds/i
const isSentBefore =
  /nonce too low|old ?nonce|already ?known|known transaction|nonce already exists|replacement transaction underpriced|replacement ?not ?allowed|with same nonce|replace by fee/i

/** Maps an error of a wallet or chain to one that names what the user can do. */
export function describePayError(error: unknown): CairnError {
  if (CairnError.is(error)) return error
  const codes = codesOf(error)
  const text = describeCause(error)
  if (codes.includes(rejected)) return new CairnError('PAYMENT_REJECTED', { cause: error })
  if (codes.includes(unsupported)) {
    return new CairnError('PAYMENT_REJECTED', {
      message: 'This wallet does not support this payment',
      hint: 'Pay with another wallet.',
      cause: error,
    })
  }
  if (isWithoutFunds.test(text)) {
    return new CairnError('INSUFFICIENT_FUNDS', {
      hint: 'Add native coin for gas, and for the payment if it is in that coin.',
      cause: error,
    })
  }
  if (isSentBefore.test(text)) {
    return new CairnError('PAYMENT_FAILED', {
      message: 'The wallet sent another transaction first',
      hint: 'Check whether it was this payment. If not, try again.',
      cause: error,
    })
  }
  if (error instanceof Error && error.name === 'AbortError') return new CairnError('ABORTED', { cause: error })
  return new CairnError('PAYMENT_FAILED', { message: `The payment failed: ${shorten(text)}`, cause: error })
}

/** What a transaction or batch does: `approve` lets the contract take a token, and pays nothing. */
export type SentPurpose = 'approve' | 'pay'

/** Returns the error for a transaction or batch that was sent and whose outcome is unknown. */
export function unknownOutcome(
  purpose: SentPurpose,
  sent: { txHash: string } | { batchId: string },
  error: unknown,
): CairnError {
  if (CairnError.is(error)) return error
  const isApproval = purpose === 'approve'
  return new CairnError('PAYMENT_FAILED', {
    message: `The ${isApproval ? 'approval' : 'payment'} was sent, and its outcome is unknown: ${shorten(describeCause(error))}`,
    hint: isApproval
      ? 'Nothing was paid. Check the transaction in the wallet, then pay again.'
      : 'It may still go through. Check the transaction in the wallet before you pay again.',
    details: { ...sent, outcome: isApproval ? 'unpaid' : 'unknown' },
    cause: error,
  })
}

/**
 * Returns the error for a transaction that the wallet replaced with another one.
 * @param txHash the other transaction
 */
export function replacedTransaction(
  purpose: SentPurpose,
  reason: 'cancelled' | 'replaced',
  txHash: string,
): CairnError {
  const isUnpaid = purpose === 'approve' || reason === 'cancelled'
  return new CairnError('PAYMENT_FAILED', {
    message:
      reason === 'cancelled'
        ? 'The transaction was cancelled in the wallet'
        : 'The wallet replaced the transaction with another one',
    hint: isUnpaid
      ? 'Nothing was paid. To pay, try again.'
      : 'Check in the wallet what the other transaction paid before you pay again.',
    details: { txHash, outcome: isUnpaid ? 'unpaid' : 'unknown' },
  })
}

function describeCause(error: unknown): string {
  if (!(error instanceof BaseError)) return String(error)
  return [error.shortMessage, error.details].filter(Boolean).join(' ')
}

/** On one line. The text of the node follows a text of several lines by the library. */
function shorten(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').slice(0, 200)
}

/**
 * Returns whether the wallet sent no batch because the user refused to change the account for it. Separate transactions remain
 * possible.
 */
export function isUpgradeRejected(error: unknown): boolean {
  return codesOf(error).includes(upgradeRejected)
}

/** Returns whether an endpoint answered that it does not accept a transaction: nothing was sent. */
export function isRefusal(error: unknown): boolean {
  // JSON-RPC uses negative codes and wallets use four digits; -1 is an error without a code.
  return codesOf(error).some((code) => code !== -1)
}

function codesOf(error: unknown): number[] {
  const codes: number[] = []
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 10; depth++) {
    if ('code' in at && typeof at.code === 'number') codes.push(at.code)
    at = 'cause' in at ? at.cause : undefined
  }
  return codes
}
