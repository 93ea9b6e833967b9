import { encodeCarFrame, encodeCarHeader, walkDag } from '@cairn/unixfs'
import type { Client } from '../client.ts'
import { describeDamage } from './car-source.ts'
import { parseContentPath } from './content-path.ts'
import { openOwnSource } from './open-own-source.ts'

/**
 * Downloads the DAG below a CID as a CARv1 with that root, each block once, depth-first. Yields verified blocks only,
 * and ends without an error only if no block is missing.
 * @throws CairnError INVALID_CID, INVALID_PATH, VERIFICATION_FAILED, UNSUPPORTED_CODEC, DAG_TOO_DEEP,
 *   DOWNLOAD_INCOMPLETE, NETWORK_ERROR, TIMEOUT, ABORTED
 * @see https://ipld.io/specs/transport/car/carv1/
 */
export async function* downloadCar(
  client: Client,
  cid: string,
  { signal }: { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const path = parseContentPath(cid)
  const source = await openOwnSource(client, path, { scope: 'all' }, signal)
  try {
    yield encodeCarHeader([path.root])
    const written = new Set<string>()
    for await (const block of walkDag(source, path.root, { dups: true })) {
      const name = block.cid.toString()
      if (written.has(name)) continue
      written.add(name)
      yield encodeCarFrame(block.cid, block.bytes.length)
      yield block.bytes.slice()
    }
  } catch (error) {
    throw describeDamage(error, signal)
  } finally {
    await source.close()
  }
}
