import { type CallResult, listKeys as listKeysCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession } from './call-with-session.ts'
import { firstGood } from './first-good.ts'

export type KeyFile = CallResult<typeof listKeysCall>['files'][number]

/** Files that the session's address owns (`owner`), or that are shared with it (`recipient`), page by page as they are asked for. */
export async function* listKeyFiles(
  client: Client,
  role: 'owner' | 'recipient',
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<KeyFile> {
  let after: string | undefined
  for (;;) {
    const query = { role, ...(after === undefined ? {} : { after }) }
    const page = await firstGood(nodeNumbers, (node) =>
      callWithSession(client, listKeysCall, node, { params: { node: String(node) }, query }, options),
    )
    yield* page.files
    if (page.next === null) return
    after = page.next
  }
}
