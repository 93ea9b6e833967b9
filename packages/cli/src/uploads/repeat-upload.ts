import { randomUUID } from 'node:crypto'
import { CairnError, type Client, type UploadOptions, type UploadResult } from '@cairn/sdk'
import type { State } from '../state/state.ts'
import { identifyUpload } from './resume-upload.ts'

/** Errors after which the service may have stored an upload. */
const unknownOutcomes: readonly string[] = [
  'NETWORK_ERROR',
  'TIMEOUT',
  'ABORTED',
  'UNEXPECTED_RESPONSE',
  'HTTP_ERROR',
  'UPSTREAM_FAILED',
  'UNAVAILABLE',
  'INTERNAL',
]
/** Errors of an upload whose key belongs to other content. */
const otherContent: readonly string[] = ['INVALID_REQUEST', 'CID_MISMATCH']

type Upload<Options> = (options: Options & { idempotencyKey: string }) => Promise<UploadResult>

/**
 * Uploads a file or folder once, even if the same command failed before and only the response of the service was lost: it is
 * sent with the same key. Only what failed is noted, so that a successful command writes no file.
 */
export async function uploadOnce<Options extends Omit<UploadOptions, 'resumable'>>(
  state: State,
  client: Client,
  path: string,
  options: Options,
  upload: Upload<Options>,
): Promise<UploadResult> {
  const identity = await identifyUpload(client, path, options).catch(() => undefined)
  // The upload reports what is wrong with the path.
  if (identity === undefined) return upload({ ...options, idempotencyKey: randomUUID() })
  const id = `once ${identity}`
  // The upload does not depend on it.
  const note = (idempotencyKey: string | undefined) =>
    state.writeUpload(id, idempotencyKey && { idempotencyKey }).catch(() => undefined)
  const noted = readKey(await state.readUpload(id).catch(() => undefined))
  const idempotencyKey = noted ?? randomUUID()
  try {
    const result = await upload({ ...options, idempotencyKey })
    if (noted !== undefined) await note(undefined)
    return result
  } catch (error) {
    if (!CairnError.is(error)) throw error
    if (noted !== undefined && otherContent.includes(error.code)) {
      await note(undefined)
      return await uploadOnce(state, client, path, options, upload)
    }
    if (noted === undefined && unknownOutcomes.includes(error.code)) await note(idempotencyKey)
    throw error
  }
}

function readKey(kept: unknown): string | undefined {
  if (typeof kept !== 'object' || kept === null || !('idempotencyKey' in kept)) return undefined
  return typeof kept.idempotencyKey === 'string' ? kept.idempotencyKey : undefined
}
