import {
  type Client,
  type EncryptedUploadOptions,
  type Progress,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadFile,
  uploadFolder,
} from '@cairn/sdk'
import { createEncryptor } from '../cipher/encrypt-in-worker.ts'
import { queryClient } from '../network/query-client.ts'
import { getSettings } from '../theme/settings.ts'
import { startTransfer, type TransferReport } from '../transfers/transfer-store.ts'
import { toReport } from './to-report.ts'
import { type PathFile, refuseDuplicatePaths, type UploadItem } from './upload-item.ts'

/** Hands what was chosen to the transfers: they go on whatever page is open. */
export function startUploads(client: () => Client, items: readonly UploadItem[], isEncrypted: boolean): void {
  for (const item of items) {
    startTransfer({
      name: item.name.trim(),
      kind: 'upload',
      isEncrypted,
      totalBytes: item.sizeBytes,
      run: ({ report, signal }) => uploadItem(client(), item, isEncrypted, { report, signal }),
      onDone: () => {
        void queryClient.invalidateQueries({ queryKey: ['files'] })
        void queryClient.invalidateQueries({ queryKey: ['usage'] })
      },
    })
  }
}

async function uploadItem(
  client: Client,
  item: UploadItem,
  isEncrypted: boolean,
  { report, signal }: { report: (change: TransferReport) => void; signal: AbortSignal },
): Promise<{ cid?: string }> {
  const name = item.name.trim()
  const options = { name, signal, onProgress: (progress: Progress) => report(toReport(progress, isEncrypted)) }
  if (isEncrypted) return uploadSealed(client, item, options)
  if (item.kind === 'file') return uploadFile(client, item.file, options)
  refuseDuplicatePaths(item.files)
  return uploadFolder(client, nameFolder(item.files, name), options)
}

/** Encrypts in a worker of its own, which ends with the upload. */
async function uploadSealed(
  client: Client,
  item: UploadItem,
  given: EncryptedUploadOptions & { name: string },
): Promise<{ cid?: string }> {
  const { encrypt, end } = createEncryptor()
  const options = { ...given, encrypt, format: getSettings().fileFormat }
  try {
    if (item.kind === 'file') return await uploadEncrypted(client, item.file, options)
    refuseDuplicatePaths(item.files)
    const [only, ...others] = await uploadEncryptedFolder(client, nameFolder(item.files, given.name), options)
    return only !== undefined && others.length === 0 ? { cid: only.cid } : {}
  } finally {
    end()
  }
}

/** Files with the paths that a directory input would have given them, under the folder's name as it was edited. */
function nameFolder(files: readonly PathFile[], name: string): File[] {
  return files.map(({ path, file }) => {
    const named = new File([file], file.name, { type: file.type, lastModified: file.lastModified })
    const relativePath = `${name}/${path.slice(path.indexOf('/') + 1)}`
    Object.defineProperty(named, 'webkitRelativePath', { value: relativePath })
    return named
  })
}
