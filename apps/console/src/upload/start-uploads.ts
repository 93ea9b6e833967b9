import {
  type Client,
  type Progress,
  uploadEncrypted,
  uploadEncryptedFolder,
  uploadFile,
  uploadFolder,
} from '@cairn/sdk'
import { queryClient } from '../network/query-client.ts'
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
  const options = { signal, onProgress: (progress: Progress) => report(toReport(progress, isEncrypted)) }
  if (item.kind === 'file') {
    return isEncrypted
      ? uploadEncrypted(client, item.file, { ...options, name })
      : uploadFile(client, item.file, { ...options, name })
  }
  refuseDuplicatePaths(item.files)
  const files = nameFolder(item.files, name)
  if (!isEncrypted) return uploadFolder(client, files, { ...options, name })
  const stored = await uploadEncryptedFolder(client, files, { ...options, name })
  const [only] = stored
  return only !== undefined && stored.length === 1 ? { cid: only.cid } : {}
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
