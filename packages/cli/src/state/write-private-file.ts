import { open, rm } from 'node:fs/promises'
import { CairnError } from '@cairn/sdk'
import { describeFailure } from '../describe-failure.ts'

/**
 * Writes a new file that only its owner can read, and returns when it is on the disk. Leaves nothing when it fails.
 * @throws CairnError FILE_EXISTS, FILE_UNREADABLE, or the error of the content
 */
export async function writePrivateFile(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    if (exists) throw new CairnError('FILE_EXISTS', { message: `${path} already exists`, cause })
    throw cannotWrite(path, cause)
  })
  try {
    await file.writeFile(content)
    await file.sync()
  } catch (cause) {
    await rm(path, { force: true })
    throw CairnError.is(cause) ? cause : cannotWrite(path, cause)
  } finally {
    await file.close()
  }
}

function cannotWrite(path: string, cause: unknown): CairnError {
  const { message, hint, code } = describeFailure(cause)
  return new CairnError('FILE_UNREADABLE', {
    message: `Cannot write ${path}`,
    cause,
    // The path alone does not say that the disk is full.
    ...(code === 'FILE_UNREADABLE' ? { hint: `${message}. ${hint}` } : {}),
  })
}
