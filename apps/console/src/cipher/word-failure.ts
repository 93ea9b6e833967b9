import { CairnError, type restoreError } from '@cairn/sdk'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'

/** Errors whose usual text is enough: the additions of the SDK are in English. */
const sufficient = ['DECRYPTION_FAILED', 'VERIFICATION_FAILED', 'NOT_ENCRYPTED'] as const

/**
 * Says in the language of the page what stopped a worker, which has no texts: no space, a name that leads out, or
 * content that is not what it should be.
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

/** The same of a worker that writes a file: it reads none of the user, as one that encrypts does. */
export function wordWriteFailure(error: ReturnType<typeof restoreError>): CairnError {
  if (!CairnError.is(error, 'FILE_UNREADABLE')) return wordFailure(error)
  const { notWritten, notWrittenHint } = messages.transfers
  return asWorded(new CairnError('FILE_UNREADABLE', { message: notWritten, hint: notWrittenHint, cause: error }))
}

/** Returns the error of a worker that did not start, because its program could not be loaded, or that has a defect. */
export function startFailure({ message }: Event & { message?: string }): CairnError {
  return message ? CairnError.from(new Error(message)) : new CairnError('NETWORK_ERROR')
}
