import { CairnError } from '@cairn/protocol'
import { mimeTypeOf, openPath } from '#platform/local-files'
import { blobFile } from '../local/blob-file.ts'
import type { LocalFile } from '../local-source.ts'
import { createResumable, type ResumableOptions } from '../upload/resumable.ts'
import { sendFiles, type UploadOptions, type UploadResult } from '../upload/send-files.ts'
import { openUploadLink } from './open-upload-link.ts'

/** Options of {@link uploadWithLink}. */
export type UploadWithLinkOptions = Pick<UploadOptions, 'name' | 'mimeType' | 'signal' | 'onProgress'> &
  Pick<ResumableOptions, 'waitToRetry'>

/**
 * Uploads one file with an upload link, without a wallet or an API key: a path (Node), or a File or Blob (both). It
 * continues after network failures, and counts once towards the limits of the link.
 * @example
 * const { cid } = await uploadWithLink('https://…/upload-link#…', 'photo.jpg')
 * @throws CairnError GONE (expired, revoked or used up), PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, UPLOAD_LIMIT,
 *   QUOTA_EXCEEDED, UNAUTHENTICATED (another link), INVALID_REQUEST (an incomplete link), and those of `uploadFile`
 */
export async function uploadWithLink(
  link: string,
  source: string | Blob,
  { waitToRetry, ...options }: UploadWithLinkOptions = {},
): Promise<UploadResult> {
  const { client } = await openUploadLink(link, options.signal)
  const file = await openFile(source, options.name)
  const resumable = createResumable(waitToRetry === undefined ? {} : { waitToRetry })
  const mimeType = options.mimeType ?? file.mimeType ?? (mimeTypeOf(file.name) || undefined)
  return sendFiles(
    client,
    { files: () => [file], isFolder: false, canRepeat: true, totalBytes: file.sizeBytes },
    { ...options, name: file.name, resumable, ...(mimeType === undefined ? {} : { mimeType }) },
  )
}

async function openFile(source: string | Blob, name: string | undefined): Promise<LocalFile> {
  if (typeof source !== 'string') return blobFile(source, name)
  const path = await openPath(source)
  if (path.kind === 'file') return { ...path.file, name: name ?? path.file.name }
  throw new CairnError('FILE_UNREADABLE', {
    message: `${source} is a folder`,
    hint: 'Upload its files one by one: an upload link accepts single files.',
  })
}
