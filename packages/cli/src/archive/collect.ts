import { CairnError } from '@cairn/sdk'
import { describeSystemError } from '../describe-failure.ts'
import type { Missing } from './format.ts'

/** State of a long task: the failures so far, and the errors that stop it. */
export type Collecting = { missing: Missing[]; signal: AbortSignal; endsAll(error: CairnError): boolean }

/**
 * Runs one part of a task. Records an error and continues with the next part, unless that would fail for the same
 * reason.
 */
export async function collect<T>(
  { missing, signal, endsAll }: Collecting,
  kind: string,
  id: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run()
  } catch (cause) {
    const error = describeDiskError(cause)
    if (signal.aborted || error.code === 'ABORTED' || endsAll(error)) throw error
    missing.push({ kind, id, code: error.code, message: error.message })
    return undefined
  }
}

/** Maps an error to a CairnError; a disk error that is not known keeps the message of the system. */
export function describeDiskError(cause: unknown): CairnError {
  if (cause instanceof Error && 'errno' in cause && !CairnError.is(cause)) {
    return new CairnError('FILE_UNREADABLE', {
      message: describeSystemError(cause)?.message ?? `Cannot write to disk: ${cause.message}`,
      hint: 'Check the path, its permissions and the free space, then run the same command again to resume.',
      cause,
    })
  }
  return CairnError.from(cause)
}
