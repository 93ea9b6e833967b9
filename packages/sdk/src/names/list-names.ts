import { listNames as listNamesCall, type NameState } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Lists the names of the account, newest first. Fetches pages on demand. Their targets are not verified. */
export async function* listNames(client: Client, options?: CallOptions): AsyncGenerator<NameState, void, undefined> {
  const limit = 100
  let after: string | undefined
  for (;;) {
    const query = { limit: String(limit), ...(after === undefined ? {} : { after }) }
    const { names } = await call(client, listNamesCall, { query }, options)
    yield* names
    if (names.length < limit) return
    after = names.at(-1)?.id
  }
}
