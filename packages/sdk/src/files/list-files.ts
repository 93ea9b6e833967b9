import { type CallInput, type CallResult, type FileEntry, listFiles as listFilesCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** What to list, in what order. */
export type FileFilter = {
  /** Text that names contain, or the start of a CID. */
  search?: string
  /** `encrypted`, `plain`, or the start of a MIME type; several with commas between: `image,video,encrypted`. */
  fileType?: string
  sort?: 'createdAt' | 'fileName' | 'fileSizeInBytes'
  order?: 'asc' | 'desc'
  /** Rows a page, 1 to 2,000. */
  limit?: number
}

/** One page of uploads. `lastKey` is the id of the last row of the page before. */
export function listFilesPage(
  client: Client,
  { limit, ...filter }: FileFilter & { lastKey?: string } = {},
  options?: CallOptions,
): Promise<CallResult<typeof listFilesCall>> {
  const query: CallInput<typeof listFilesCall>['query'] = filter
  return call(
    client,
    listFilesCall,
    { query: limit === undefined ? query : { ...query, limit: String(limit) } },
    options,
  )
}

/** All uploads of the account that fit, newest first unless told, fetched page by page as they are asked for. */
export async function* listFiles(
  client: Client,
  filter: FileFilter = {},
  options?: CallOptions,
): AsyncGenerator<FileEntry, void, undefined> {
  let lastKey: string | undefined
  for (;;) {
    const page = await listFilesPage(client, lastKey === undefined ? filter : { ...filter, lastKey }, options)
    yield* page.fileList
    const last = page.fileList.at(-1)
    if (last === undefined || page.fileList.length < (filter.limit ?? 2000)) return
    lastKey = last.id
  }
}
