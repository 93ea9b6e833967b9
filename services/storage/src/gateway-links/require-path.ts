import { CairnError } from '@cairn/protocol'
import { type BlockSource, resolvePath, UnixfsError } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { maxPathNames } from '../content/path-limits.ts'

/**
 * Rejects a path that no reader could open: a link to it would look like one that works.
 * @param source the blocks of the upload
 * @throws CairnError PATH_NOT_FOUND, and errors of the source
 */
export async function requirePath(
  source: BlockSource,
  cid: CID,
  segments: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (segments.length === 0) return
  try {
    await resolvePath(source, cid, segments, { signal, maxSegments: maxPathNames })
  } catch (error) {
    if (!UnixfsError.is(error) || (error.code !== 'NOT_FOUND' && error.code !== 'NOT_A_DIRECTORY')) throw error
    throw new CairnError('PATH_NOT_FOUND', {
      message: `The upload has no file or folder ${JSON.stringify(segments.join('/'))}`,
      hint: 'Use a path below the root of the upload, as its listing shows it.',
      cause: error,
    })
  }
}
