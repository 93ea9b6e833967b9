import {
  CairnError,
  type EncryptedUploadResult,
  type FolderEntry,
  type Progress,
  type UploadResult,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadFile,
  uploadFolder,
} from '@cairn/sdk'
import { useCallback, useState } from 'react'
import { useCairnContext } from './provider.ts'
import { type ActionState, useAction } from './use-action.ts'

/** A file, the files of an input, or the entries of a folder. */
export type UploadSource = Blob | ArrayLike<File> | Iterable<FolderEntry> | AsyncIterable<FolderEntry>

/** Options of an upload. */
export type UploadSettings = {
  /** Name in listings. Defaults to that of the file or folder. */
  name?: string | undefined
  /** Type of the content. Defaults to that of the file. */
  mimeType?: string | undefined
  /**
   * Encrypts in the browser; requires a key session. A folder has one CID and one key.
   * @defaultValue false
   */
  encrypted?: boolean | undefined
  /** Addresses that can decrypt it. */
  shareTo?: readonly string[] | undefined
}

/** What {@link useUpload} returns. */
export type UseUpload = ActionState<UploadResult | EncryptedUploadResult> & {
  /**
   * Uploads a file or folder, after the previous calls. Never rejects: returns undefined if it failed or was aborted.
   * @param settings for this call only
   */
  upload: (source: UploadSource, settings?: UploadSettings) => Promise<UploadResult | EncryptedUploadResult | undefined>
  /** Progress of the running upload, at most twenty times per second. */
  progress: Progress | undefined
  abort: () => void
  reset: () => void
}

/**
 * Uploads files and folders, with progress. Aborts when the component unmounts; an aborted upload stores nothing.
 * @param defaults settings of every call
 * @example
 * const { upload, progress, data, error } = useUpload({ encrypted: true })
 * <input type="file" onChange={({ target }) => target.files?.[0] && upload(target.files[0])} />
 */
export function useUpload(defaults: UploadSettings = {}): UseUpload {
  const { changes } = useCairnContext()
  const [progress, setProgress] = useState<Progress>()
  const { run, ...action } = useAction(async ({ client, signal }, source: UploadSource, settings: UploadSettings) => {
    const { encrypted = false, shareTo, name, mimeType } = { ...defaults, ...settings }
    if (!encrypted && shareTo !== undefined)
      throw new CairnError('INVALID_REQUEST', {
        message: 'shareTo requires an encrypted upload',
        hint: 'Set encrypted, or omit shareTo: anyone can read a public upload.',
      })
    setProgress(undefined)
    const options = {
      signal,
      onProgress: (step: Progress) => {
        if (!signal.aborted) setProgress(step)
      },
      ...(name === undefined ? {} : { name }),
      ...(mimeType === undefined ? {} : { mimeType }),
    }
    const result = await send()
    changes.notify('files', 'account')
    return result

    function send(): Promise<UploadResult | EncryptedUploadResult> {
      if (!encrypted)
        return source instanceof Blob ? uploadFile(client, source, options) : uploadFolder(client, source, options)
      const sharing = { ...options, shareTo: [...(shareTo ?? [])] }
      return source instanceof Blob
        ? uploadEncrypted(client, source, sharing)
        : uploadEncryptedFolder(client, source, { ...sharing, asOne: true, format: 'v2' }).then(requireOne)
    }
  })
  const upload = useCallback(
    (source: UploadSource, settings: UploadSettings = {}) => run(keepFiles(source), settings),
    [run],
  )
  return { ...action, upload, progress: action.status === 'idle' ? undefined : progress }
}

/** The files of an input are gone once the page clears it, which it may do before the upload starts. */
function keepFiles(source: UploadSource): UploadSource {
  return 'length' in source ? Array.from(source) : source
}

function requireOne([result]: readonly EncryptedUploadResult[]): EncryptedUploadResult {
  if (result === undefined) throw new CairnError('UNEXPECTED_RESPONSE')
  return result
}
