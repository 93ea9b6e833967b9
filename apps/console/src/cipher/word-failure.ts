import { CairnError, type restoreError } from '@cairn/sdk'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'

/** Says in the language of the page what stopped a worker, which has no texts: no space, or a name that leads out. */
export function wordFailure(error: ReturnType<typeof restoreError>): CairnError {
  const { noSpace, noSpaceHint, unsafeName, unsafeNameHint } = messages.transfers
  if (CairnError.is(error, 'FILE_TOO_LARGE') && error.details.limitBytes === undefined)
    return asWorded(new CairnError('FILE_TOO_LARGE', { message: noSpace, hint: noSpaceHint, cause: error }))
  if (CairnError.is(error, 'INVALID_PATH') && error.details.fileName !== undefined) {
    const message = unsafeName(markControls(error.details.fileName))
    return asWorded(new CairnError('INVALID_PATH', { message, hint: unsafeNameHint, cause: error }))
  }
  return error
}
