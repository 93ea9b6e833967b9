import { CairnError } from '@cairn/protocol'

/** An object that a record names is not there. */
export function missing(key: string, cause?: unknown): CairnError {
  return new CairnError('DATA_DAMAGED', { message: 'A stored object is missing', cause, details: { object: key } })
}

/** An object ends before the bytes that were asked for. */
export function endsEarly(key: string, at: number): CairnError {
  return new CairnError('DATA_DAMAGED', { message: 'A stored object ends early', details: { object: key, at } })
}

/** A key is never used twice. */
export function keyInUse(): CairnError {
  return new CairnError('STORAGE_FAILED', { cause: 'the key is in use' })
}

/** The head must lie within the bytes that were appended. */
export function headTooLong(): CairnError {
  return new CairnError('STORAGE_FAILED', { cause: 'head longer than the object' })
}

/** A writer was used after its end. */
export function writerEnded(state: string): CairnError {
  return new CairnError('STORAGE_FAILED', { cause: `writer is ${state}` })
}
