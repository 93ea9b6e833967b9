import { CairnError } from '@cairn/protocol'

/** The error for a path that cannot be read, with the code of the system. */
export function unreadable(path: string, cause: unknown): CairnError {
  return unusable('read', path, cause)
}

/** The error for a file that cannot be created, with the code of the system. */
export function unwritable(path: string, cause: unknown): CairnError {
  return unusable('write', path, cause)
}

function unusable(verb: string, path: string, cause: unknown): CairnError {
  const why = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return new CairnError('FILE_UNREADABLE', { message: `Cannot ${verb} ${path}${why}`, cause })
}
