import { CairnError, type restoreError } from '@cairn/sdk'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'

/** Errors that the console words itself in every language. The texts that the SDK adds to them are in English. */
const sufficient = ['DECRYPTION_FAILED', 'VERIFICATION_FAILED', 'NOT_ENCRYPTED'] as const

/**
 * Words the error of a worker in the language of the page, because workers load no texts: no space left, an unsafe file name, or
 * content that is damaged or not encrypted.
 */
export function wordFailure(error: ReturnType<typeof restoreError>): CairnError {
  const { noSpace, noSpaceHint, unsafeName, unsafeNameHint } = messages.transfers
  if (CairnError.is(error, 'FILE_TOO_LARGE') && error.details.limitBytes === undefined)
    return asWorded(new CairnError('FILE_TOO_LARGE', { message: noSpace, hint: noSpaceHint, cause: error }))
  if (CairnError.is(error, 'INVALID_PATH') && error.details.fileName !== undefined) {
    const message = unsafeName(markControls(error.details.fileName))
    return asWorded(new CairnError('INVALID_PATH', { message, hint: unsafeNameHint, cause: error }))
  }
  const code = sufficient.find((one) => one === error.code)
  const isTranslated = code !== undefined && messages.errors[code]?.message !== undefined
  return isTranslated ? new CairnError(code, { cause: error }) : error
}

/** As {@link wordFailure}, for a worker that writes files: a `FILE_UNREADABLE` is about the file it writes, not one of the user. */
export function wordWriteFailure(error: ReturnType<typeof restoreError>): CairnError {
  if (!CairnError.is(error, 'FILE_UNREADABLE')) return wordFailure(error)
  const { notWritten, notWrittenHint } = messages.transfers
  return asWorded(new CairnError('FILE_UNREADABLE', { message: notWritten, hint: notWrittenHint, cause: error }))
}

/** Returns the error of a worker that did not start, because its program could not be loaded, or that has a defect. */
export function startFailure({ message }: Event & { message?: string }): CairnError {
  return message ? CairnError.from(new Error(message)) : new CairnError('NETWORK_ERROR')
}
