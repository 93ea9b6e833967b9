import { CairnError, type ErrorCode } from '@cairn/sdk'

/** What the process ends with, by what went wrong. Documented in docs/how-to/cli.md. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  authentication: 4,
  payment: 5,
  network: 6,
  verification: 7,
  interrupted: 130,
} as const

const byCode: Partial<Record<ErrorCode, number>> = {
  USAGE: exitCodes.usage,
  INVALID_REQUEST: exitCodes.usage,
  INVALID_CID: exitCodes.usage,
  INVALID_CID_VERSION: exitCodes.usage,
  INVALID_ADDRESS: exitCodes.usage,
  INVALID_PATH: exitCodes.usage,
  INVALID_PRIVATE_KEY: exitCodes.usage,
  NOT_FOUND: exitCodes.notFound,
  BLOCK_NOT_FOUND: exitCodes.notFound,
  PATH_NOT_FOUND: exitCodes.notFound,
  NO_NETWORK: exitCodes.notFound,
  NO_WALLET: exitCodes.authentication,
  NO_API_KEY: exitCodes.authentication,
  UNAUTHENTICATED: exitCodes.authentication,
  API_KEY_EXPIRED: exitCodes.authentication,
  API_KEY_REVOKED: exitCodes.authentication,
  FORBIDDEN: exitCodes.authentication,
  INVALID_SIGNATURE: exitCodes.authentication,
  CHALLENGE_EXPIRED: exitCodes.authentication,
  INVALID_KEYSTORE: exitCodes.authentication,
  QUOTA_EXCEEDED: exitCodes.payment,
  NETWORK_ERROR: exitCodes.network,
  TIMEOUT: exitCodes.network,
  REQUEST_TIMEOUT: exitCodes.network,
  DOWNLOAD_INCOMPLETE: exitCodes.network,
  UNAVAILABLE: exitCodes.network,
  OVERLOADED: exitCodes.network,
  RATE_LIMITED: exitCodes.network,
  UPSTREAM_FAILED: exitCodes.network,
  VERIFICATION_FAILED: exitCodes.verification,
  CID_MISMATCH: exitCodes.verification,
  BLOCK_HASH_MISMATCH: exitCodes.verification,
  ABORTED: exitCodes.interrupted,
}

export function exitCodeOf(error: unknown): number {
  return CairnError.is(error) ? (byCode[error.code] ?? exitCodes.failed) : exitCodes.failed
}
