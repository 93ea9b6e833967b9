import { type Client, deleteFile, type FileEntry, renameFile } from '@cairn/sdk'
import type { InfiniteData } from '@tanstack/react-query'
import { markUploadsStale } from '../drive-index/stale-uploads.ts'
import { messages } from '../messages/messages.ts'
import { queryClient } from '../network/query-client.ts'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'

type Pages = InfiniteData<{ fileList: FileEntry[]; totalFiles: number }>

/** Renames immediately in every list; restores the old name if the service rejects it. */
export async function renameInLists(client: Client, file: FileEntry, fileName: string): Promise<void> {
  setName(file.id, fileName)
  try {
    await renameFile(client, file.id, fileName)
    toastDone(messages.files.renamed(fileName))
  } catch (error) {
    setName(file.id, file.fileName)
    throw error
  } finally {
    markUploadsStale()
    void queryClient.invalidateQueries({ queryKey: ['files'] })
    void queryClient.invalidateQueries({ queryKey: ['file-info', file.cid] })
  }
}

function setName(id: string, fileName: string): void {
  queryClient.setQueriesData<Pages>({ queryKey: ['files'], predicate: ({ state }) => isPages(state.data) }, (data) =>
    data === undefined
      ? data
      : {
          ...data,
          pages: data.pages.map((page) => ({
            ...page,
            fileList: page.fileList.map((file) => (file.id === id ? { ...file, fileName } : file)),
          })),
        },
  )
}

function isPages(data: unknown): data is Pages {
  return typeof data === 'object' && data !== null && 'pages' in data
}

/** Maximum number of concurrent deletions. */
const atOnce = 4

/** Deletes files; a failed deletion does not stop the others. */
export async function deleteFiles(client: Client, files: readonly Pick<FileEntry, 'id'>[]): Promise<void> {
  const waiting = [...files]
  const failures: unknown[] = []
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      try {
        await deleteFile(client, { id: file.id })
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (failures.length < files.length) toastDone(messages.files.deleted(files.length - failures.length))
  if (failures.length > 0) toastError(messages.files.deleteFailed(failures.length), failures[0])
  markUploadsStale()
  await queryClient.invalidateQueries({ queryKey: ['files'] })
  await queryClient.invalidateQueries({ queryKey: ['usage'] })
}
