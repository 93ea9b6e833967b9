import { type Client, deleteFile, type FileEntry, renameFile } from '@cairn/sdk'
import type { InfiniteData } from '@tanstack/react-query'
import { queryClient } from '../network/query-client.ts'
import { toastDone, toastError } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'

type Pages = InfiniteData<{ fileList: FileEntry[]; totalFiles: number }>

/** Names change at once in every list; where the service refuses, the old name comes back. */
export async function renameInLists(client: Client, file: FileEntry, fileName: string): Promise<void> {
  setName(file.id, fileName)
  try {
    await renameFile(client, file.id, fileName)
    toastDone(words.files.renamed(fileName))
  } catch (error) {
    setName(file.id, file.fileName)
    throw error
  } finally {
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

/** Deletes at a time. */
const atOnce = 4

/** Deletes files; one that cannot be deleted does not stop the others. */
export async function deleteFiles(client: Client, files: readonly FileEntry[]): Promise<void> {
  const waiting = [...files]
  const faults: unknown[] = []
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      try {
        await deleteFile(client, { id: file.id })
      } catch (error) {
        faults.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (faults.length < files.length) toastDone(words.files.deleted(files.length - faults.length))
  if (faults.length > 0) toastError(words.files.deleteFailed(faults.length), faults[0])
  await queryClient.invalidateQueries({ queryKey: ['files'] })
  await queryClient.invalidateQueries({ queryKey: ['usage'] })
}
