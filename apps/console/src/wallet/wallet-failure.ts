/** Reason why a request to a wallet failed. */
export type WalletFailure = 'rejected' | 'busy' | 'missing' | 'other'

/** EIP-1193 and EIP-1474 codes, at any depth of causes. */
const failuresByCode = new Map<unknown, WalletFailure>([
  [4001, 'rejected'],
  [5000, 'rejected'],
  [-32002, 'busy'],
])
const failuresByName = new Map<unknown, WalletFailure>([
  ['UserRejectedRequestError', 'rejected'],
  ['ResourceUnavailableRpcError', 'busy'],
  ['ProviderNotFoundError', 'missing'],
  ['ConnectorNotFoundError', 'missing'],
])

/** Distinguishes a rejection by the user from other failures. Libraries wrap errors, so causes are searched. */
export function readWalletFailure(error: unknown): WalletFailure {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const found = failuresByName.get(cause.name) ?? ('code' in cause ? failuresByCode.get(cause.code) : undefined)
    if (found !== undefined) return found
  }
  return 'other'
}
