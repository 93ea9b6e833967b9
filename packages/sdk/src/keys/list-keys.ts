import { type CallResult, listKeys as listKeysCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession } from './call-with-session.ts'
import { firstSuccessful } from './first-successful.ts'

export type KeyFile = CallResult<typeof listKeysCall>['files'][number]

/**
 * Lists files that the address of the session owns (`owner`), or that are shared with it (`recipient`). Fetches pages
 * on demand.
 */
export async function* listKeyFiles(
  client: Client,
  role: 'owner' | 'recipient',
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<KeyFile> {
  let after: string | undefined
  for (;;) {
    const query = { role, ...(after === undefined ? {} : { after }) }
    const page = await firstSuccessful(nodeNumbers, (node) =>
      callWithSession(client, listKeysCall, node, { params: { node: String(node) }, query }, options),
    )
    yield* page.files
    if (page.next === null) return
    after = page.next
  }
}
