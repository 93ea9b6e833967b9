import { CairnError, getFileInfo } from '@cairn/sdk'
import type { CommandContext } from './command.ts'

/**
 * Runs a request for proofs of a CID. The service answers as if a private upload of the account were not stored, because no
 * provider has it; the error then explains that.
 */
export async function explainPrivate<T>(
  { session, signal }: Pick<CommandContext, 'session' | 'signal'>,
  cid: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!CairnError.is(error, 'BLOCK_NOT_FOUND') || !(await isOwnPrivate({ session, signal }, cid))) throw error
    throw new CairnError('BLOCK_NOT_FOUND', {
      message: 'A private upload is stored only by the service: no provider has a copy',
      hint: 'To have providers store it, upload it without --private, or encrypted.',
      details: { cid },
      cause: error,
    })
  }
}

async function isOwnPrivate(
  { session, signal }: Pick<CommandContext, 'session' | 'signal'>,
  cid: string,
): Promise<boolean> {
  try {
    return (await getFileInfo(await session.optionalClient(), cid, { signal })).private === true
  } catch (error) {
    // Without an answer, the first error stands.
    if (signal.aborted || !CairnError.is(error)) throw error
    return false
  }
}
