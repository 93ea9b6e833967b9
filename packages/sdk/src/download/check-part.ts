import { CairnError } from '@cairn/protocol'
import { type BlockSource, decodeNode, resolvePath, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform/native-crypto'
import type { EarlierBytes } from '#platform/part-file'
import type { Client } from '../client.ts'
import { iterateStream } from '../iterate-stream.ts'
import { openResponse } from '../request.ts'
import { describeDamage } from './car-source.ts'
import { type ContentPath, gatewayUrl } from './content-path.ts'
import { isPrivateRoot } from './private-roots.ts'

/** Maximum size of a block, in bytes. */
const maxBlockBytes = 4 * 1024 * 1024

/**
 * Counts the verified bytes at the start of an earlier download. Hashes its leaves and compares them with the links of the nodes
 * of the file, one node at a time. Supports only files with raw leaves. Other downloads restart, and so do those of private
 * uploads, whose blocks cannot be read one by one.
 * @throws CairnError as openFile
 */
export async function checkPart(
  client: Client,
  path: ContentPath,
  part: EarlierBytes,
  signal: AbortSignal | undefined,
): Promise<number> {
  if (part.sizeBytes === 0 || isPrivateRoot(client, path)) return 0
  const source = blocksOf(client, signal)
  try {
    const { cid } = await resolvePath(source, path.root, path.segments)
    let checked = 0
    for await (const leaf of leavesOf(source, cid)) {
      if (checked + leaf.sizeBytes > part.sizeBytes) break
      const bytes = await part.read(checked, leaf.sizeBytes)
      try {
        await verifyBlock(leaf.cid, bytes, hashSha256)
      } catch {
        // The remainder is torn or changed, so the download resumes here.
        break
      }
      checked += leaf.sizeBytes
    }
    return checked
  } catch (error) {
    throw describeDamage(error, signal)
  }
}

/** Yields the raw leaves of a file in order, until the first leaf that is not raw. */
async function* leavesOf(source: BlockSource, root: CID): AsyncGenerator<{ cid: CID; sizeBytes: number }> {
  const rawCode = 0x55
  const pending: { cid: CID; sizeBytes: number | undefined }[] = [{ cid: root, sizeBytes: undefined }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.cid.code === rawCode) {
      if (next.sizeBytes === undefined) return
      yield { cid: next.cid, sizeBytes: next.sizeBytes }
      continue
    }
    const node = decodeNode(next.cid, await source.get(next.cid))
    if (node.kind !== 'file' || node.data.length > 0) return
    // As its reader does. With other sizes, or with empty parts, a few blocks could have any number of parts.
    if (next.sizeBytes !== undefined && node.fileSizeBytes !== next.sizeBytes) return
    const children = node.links.map((link, i) => ({ cid: link.cid, sizeBytes: node.blockSizes[i] }))
    pending.push(...children.filter(({ sizeBytes }) => sizeBytes !== 0).reverse())
  }
}

/** Single verified blocks. */
function blocksOf(client: Client, signal: AbortSignal | undefined): BlockSource {
  return {
    async get(cid) {
      const response = await openResponse(client, {
        url: `${gatewayUrl(client.network.gateway, { root: cid, segments: [] })}?format=raw`,
        method: 'GET',
        headers: { accept: 'application/vnd.ipld.raw' },
        dialect: 'gateway',
        signal,
        timeoutMs: client.callTimeoutMs,
      })
      const bytes = await readBlock(response)
      await verifyBlock(cid, bytes, hashSha256)
      return bytes
    },
  }
}

/** Reads one block, and no more of the response than the maximum size of a block. */
async function readBlock(response: Response): Promise<Uint8Array> {
  if (response.body === null) throw new CairnError('UNEXPECTED_RESPONSE')
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of iterateStream(response.body)) {
    length += part.length
    if (length > maxBlockBytes)
      throw new CairnError('VERIFICATION_FAILED', { message: 'The response is larger than the maximum block size' })
    parts.push(part)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
