import { CairnError, type Client, listFiles } from '@cairn/sdk'
import type { Output } from '../terminal/output.ts'

/** Warns about the account's own uploads of the same CID that make the content of a private upload public. */
export async function notePublicTwins(output: Output, client: Client, cid: string, signal: AbortSignal): Promise<void> {
  try {
    const ids: string[] = []
    for await (const entry of listFiles(client, { search: cid }, { signal }))
      if (entry.cid === cid && entry.private !== true) ids.push(entry.id)
    if (ids.length === 0) return
    output.note(
      `Anyone with the CID can still read it, because you also uploaded it without --private. Delete that: cairn rm ${ids.join(' ')}`,
    )
  } catch (error) {
    if (signal.aborted || !CairnError.is(error)) throw error
    // The upload is done, whether or not this API key may list uploads.
    output.note(`Cannot determine whether the same content is also public: ${error.message}`)
  }
}
