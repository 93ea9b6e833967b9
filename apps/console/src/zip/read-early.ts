import type { Client } from '@cairn/sdk'
import { mayBeFolder } from '../content/folder-type.ts'
import { loadCode } from '../parts/load-code.ts'
import { openUnlessLink } from './public-entries.ts'
import type { ZipItem } from './zip-order.ts'

/** Number of files that are requested concurrently: the number of connections that browsers open to one gateway. */
export const filesAtOnce = 6

/** Maximum size of a file that is read ahead into memory, in bytes. */
const maxEarlyBytes = 1024 * 1024

/** A small file that was read ahead. Without `bytes`, it is a symbolic link or other content that is not a file. */
export type EarlyFile = { bytes?: Uint8Array }

/**
 * Reads a small file whole, so that its connection is free for others before its turn to be written.
 * @returns undefined for what is opened in its turn: stored folders, which bring many files in one response, and large files, also
 *   those that are larger than the list states
 * @throws CairnError those of `openFile` and `openDecrypted`
 */
export async function readEarly(
  client: Client,
  item: ZipItem,
  needKey: (cid: string) => Promise<string>,
): Promise<EarlyFile | undefined> {
  const { cid, innerPath, sizeBytes, isEncrypted, isPrivate, mimeType } = item
  if (cid === undefined || innerPath !== undefined || sizeBytes === undefined || sizeBytes > maxEarlyBytes)
    return undefined
  if (mayBeFolder({ cid, mimeType })) return undefined
  if (!isEncrypted) {
    const input = await openUnlessLink(client, { cidPath: cid, isPrivate })
    return input === undefined ? {} : collect(input)
  }
  const { openEncryptedFile } = await loadCode(import('./encrypted-entries.ts'))
  return collect(await openEncryptedFile(client, cid, await needKey(cid)))
}

async function collect(input: AsyncIterable<Uint8Array>): Promise<{ bytes: Uint8Array } | undefined> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for await (const piece of input) {
    length += piece.length
    if (length > maxEarlyBytes) return undefined
    // A piece is valid until the next one.
    pieces.push(new Uint8Array(piece))
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return { bytes }
}
