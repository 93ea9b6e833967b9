import { CairnError, restoreError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { tryAgain } from '../request.ts'

/**
 * Retries an upload as other calls are retried. The first attempt that reached the service spent a signature for one upload:
 * a further one cannot learn what became of it.
 * @throws CairnError those of the attempts; CHALLENGE_EXPIRED with the error of the first attempt as its cause
 */
export function retryUpload<T>(
  { apiKey = '' }: Client,
  attempt: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!apiKey.includes('$')) return tryAgain(attempt, signal)
  let lost: CairnError | undefined
  return tryAgain(async () => {
    try {
      return await attempt()
    } catch (error) {
      const isSpent = CairnError.is(error, 'CHALLENGE_EXPIRED') || CairnError.is(error, 'FORBIDDEN')
      if (lost === undefined || !isSpent) {
        lost ??= CairnError.from(error)
        throw error
      }
      throw restoreError('CHALLENGE_EXPIRED', {
        message: 'The response of the service was lost, and the signature for this upload was used',
        hint: 'List the files of the account to see whether the upload was stored. To upload again, authorise it again: authorizeOnce.',
        cause: lost,
      })
    }
  }, signal)
}
