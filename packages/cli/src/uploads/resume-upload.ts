import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  CairnError,
  type Client,
  cancelUpload,
  createResumable,
  type ResumableState,
  type UploadOptions,
  type UploadResult,
} from '@cairn/sdk'
import { describeFailure } from '../describe-failure.ts'
import type { State } from '../state/state.ts'
import type { Output } from '../terminal/output.ts'

/**
 * Uploads in parts and stores the progress, so that the same call resumes after any interruption. Another file under
 * the same path, or other options, start another upload.
 */
export async function uploadResumably(
  { state, output }: { state: State; output: Pick<Output, 'note'> },
  client: Client,
  path: string,
  options: UploadOptions,
  upload: (options: UploadOptions) => Promise<UploadResult>,
): Promise<UploadResult> {
  const id = await identifyUpload(client, path, options)
  const kept = readState(await state.readUpload(id))
  let begun = kept
  const resumable = createResumable({
    ...(kept === undefined ? {} : { state: kept }),
    onState: (next) => {
      begun = next
      return state.writeUpload(id, next)
    },
  })
  try {
    const result = await upload({ ...options, resumable })
    // The upload is stored, whether or not its progress can be cleared.
    await state.writeUpload(id, undefined).catch((error: unknown) => {
      output.note(`The upload is stored, but its progress could not be cleared. ${describeFailure(error).message}`)
    })
    return result
  } catch (error) {
    // The files changed, so the bytes sent so far are useless. The service would reserve storage for them until they expire.
    if (CairnError.is(error, 'CID_MISMATCH') || CairnError.is(error, 'FILE_CHANGED')) {
      await state.writeUpload(id, undefined)
      // If it cannot be cancelled now, it expires.
      if (begun !== undefined) await cancelUpload(client, begun.id).catch(() => undefined)
    }
    throw error
  }
}

/** Returns a name for an upload that the same command makes again, unless the file or the options change. */
export async function identifyUpload(client: Client, path: string, options: UploadOptions): Promise<string> {
  const { size, mtimeMs } = await stat(path).catch((cause: unknown) => {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  })
  const { signal: _signal, onProgress: _onProgress, skipStored: _skipStored, ...meant } = options
  return createHash('sha256')
    .update(JSON.stringify([client.network.api, resolve(path), size, mtimeMs, meant]))
    .digest('hex')
}

/** Returns the stored state, if it has the current format. */
function readState(kept: unknown): ResumableState | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined
  const { id, boundary, sizeBytes, cids, sample }: Partial<Record<keyof ResumableState, unknown>> = kept
  if (typeof id !== 'string' || typeof boundary !== 'string' || typeof sizeBytes !== 'number') return undefined
  if (!Array.isArray(cids) || !cids.every((cid) => typeof cid === 'string')) return undefined
  return { id, boundary, sizeBytes, cids, ...(typeof sample === 'string' ? { sample } : {}) }
}
