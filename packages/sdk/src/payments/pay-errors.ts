import { CairnError } from '@cairn/protocol'
import { BaseError } from 'viem'

/** Error codes of wallets. @see https://eips.ethereum.org/EIPS/eip-1193#provider-errors */
const rejected = 4001
const unsupported = 4200

/** Maps an error of a wallet or chain to one that names what the user can do. */
export function describePayError(error: unknown): CairnError {
  if (CairnError.is(error)) return error
  const codes = codesOf(error)
  const text = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : String(error)
  if (codes.includes(rejected)) return new CairnError('PAYMENT_REJECTED', { cause: error })
  if (codes.includes(unsupported)) {
    return new CairnError('PAYMENT_REJECTED', { message: 'This wallet cannot do what a payment needs', cause: error })
  }
  if (/insufficient funds|exceeds the balance|total cost.*exceeds/i.test(text)) {
    return new CairnError('INSUFFICIENT_FUNDS', { cause: error })
  }
  if (/nonce too low|already known|replacement transaction underpriced/i.test(text)) {
    return new CairnError('PAYMENT_FAILED', {
      message: 'Another transaction of this wallet came in between',
      hint: 'Look whether it was this payment; if not, try again.',
      cause: error,
    })
  }
  if (error instanceof Error && error.name === 'AbortError') return new CairnError('ABORTED', { cause: error })
  const [reason = ''] = text.split('\n')
  return new CairnError('PAYMENT_FAILED', {
    message: `The payment failed: ${reason.slice(0, 200)}`,
    cause: error,
  })
}

function codesOf(error: unknown): number[] {
  const codes: number[] = []
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 10; depth++) {
    if ('code' in at && typeof at.code === 'number') codes.push(at.code)
    at = 'cause' in at ? at.cause : undefined
  }
  return codes
}
