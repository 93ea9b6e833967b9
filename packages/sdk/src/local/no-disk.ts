import { CairnError } from '@cairn/protocol'

/** Refuses a call that needs a file system. @throws CairnError FILE_UNREADABLE */
export function noDisk(): never {
  throw new CairnError('FILE_UNREADABLE', {
    message: 'A browser has no file system paths',
    hint: 'Use openFile or downloadBytes.',
  })
}
