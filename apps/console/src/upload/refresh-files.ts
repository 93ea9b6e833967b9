import { dropContentUrls } from '../content/content-url.ts'
import { queryClient } from '../network/query-client.ts'
import { hasActive } from '../transfers/transfer-store.ts'

/** While uploads are running, the lists are refreshed at most this often, in ms. */
const refreshMs = 1_000

let timer: ReturnType<typeof setTimeout> | undefined
/** Whether an upload ended after the last refresh. */
let isStale = false

/**
 * Refreshes the lists after an upload: at once for the first and the last one, and about once per second while many small ones
 * end. Three requests per file would take longer than the files.
 */
export function refreshFiles(): void {
  isStale = true
  if (timer !== undefined && hasActive()) return
  refresh()
  clearTimeout(timer)
  timer = setTimeout(() => {
    timer = undefined
    if (isStale) refreshFiles()
  }, refreshMs)
}

function refresh(): void {
  isStale = false
  dropContentUrls()
  void queryClient.invalidateQueries({ queryKey: ['files'] })
  void queryClient.invalidateQueries({ queryKey: ['usage'] })
}
