import { dropContentUrls } from '../content/content-url.ts'
import { queryClient } from '../network/query-client.ts'
import { hasActive } from '../transfers/transfer-store.ts'

/** While uploads are running, the lists are refreshed at most this often, in ms. */
const refreshMs = 1_000

let timer: ReturnType<typeof setTimeout> | undefined
/** Whether an upload ended after the last refresh. */
let isStale = false

/**
 * Refreshes the lists after an upload: immediately for the first and the last one, and once per second in between, because three
 * requests per file would take longer than small files do.
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
