import { type CallInput, type CallResult, type FileEntry, listFiles as listFilesCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Filter and order of a listing. */
export type FileFilter = {
  /** Text in a name, or the start of a CID. */
  search?: string
  /**
   * An access (`public`, `private`, `encrypted`, or `plain` for both that are not encrypted), or the start of a MIME type;
   * separate several with commas: `image,video,encrypted`.
   */
  fileType?: string
  sort?: 'createdAt' | 'fileName' | 'fileSizeInBytes'
  order?: 'asc' | 'desc'
  /** Rows per page, 1 to 2,000. */
  limit?: number
}

/** Lists one page of uploads. `lastKey` is the id of the last row of the previous page. */
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

/** Lists all uploads of the account that match, newest first by default. Fetches pages on demand. */
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
