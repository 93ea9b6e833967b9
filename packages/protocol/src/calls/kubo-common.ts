import * as v from 'valibot'
import { deniedErrors } from '../call.ts'
import type { ErrorCode } from '../errors/error-table.ts'

/** A content path or a CID. */
export const kuboPath = v.pipe(v.string(), v.nonEmpty(), v.maxLength(8192))
/** Paths from repeated `arg` parameters. */
export const kuboPaths = v.pipe(
  v.union([kuboPath, v.pipe(v.array(kuboPath), v.maxLength(100))]),
  v.transform((paths) => [paths].flat()),
)

/** Error codes of calls that read content. */
export const kuboReadErrors = [
  ...deniedErrors,
  'INVALID_CID',
  'INVALID_NAME',
  'INVALID_PATH',
  'BLOCK_NOT_FOUND',
  'PATH_NOT_FOUND',
  'NOT_A_DIRECTORY',
  'NAME_UNRESOLVED',
  'NAME_EXPIRED',
  'NAME_TOO_DEEP',
  'UPSTREAM_FAILED',
  'NOT_ACCEPTABLE',
  'NOT_SUPPORTED',
  'DATA_DAMAGED',
  'UNSUPPORTED_CODEC',
  'DAG_TOO_DEEP',
] as const satisfies readonly ErrorCode[]

/** Common properties of all Kubo calls. */
export const kuboCommon = {
  method: 'POST',
  host: 'api',
  tag: 'Kubo RPC',
  dialect: 'kubo',
  idempotent: true,
} as const

/** Calls that read content. They are public, like the gateway. */
export const kuboReading = { ...kuboCommon, auth: 'none', errors: kuboReadErrors, limits: { perMinute: 6000 } } as const
