import { CairnError } from '@cairn/protocol'

/** The error for a path that cannot be read, with the code of the system. */
export function unreadable(path: string, cause: unknown): CairnError {
  const why = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}${why}`, cause })
}
