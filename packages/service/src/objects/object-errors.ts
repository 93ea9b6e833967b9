import { CairnError } from '@cairn/protocol'

/** An object that a record names is missing. */
export function missing(key: string, cause?: unknown): CairnError {
  return new CairnError('DATA_DAMAGED', { message: 'A stored object is missing', cause, details: { object: key } })
}

/** An object ends before the requested bytes. */
export function endsEarly(key: string, at: number): CairnError {
  return new CairnError('DATA_DAMAGED', { message: 'A stored object ends early', details: { object: key, offset: at } })
}

/** A key is never reused. */
export function keyInUse(): CairnError {
  return new CairnError('STORAGE_FAILED', { cause: 'the key is in use' })
}

/** The head must lie within the bytes that were appended. */
export function headTooLong(): CairnError {
  return new CairnError('STORAGE_FAILED', { cause: 'head longer than the object' })
}

/** A writer was used after it ended. */
export function writerEnded(state: string): CairnError {
  return new CairnError('STORAGE_FAILED', { cause: `writer is ${state}` })
}
