import { type Client, createClient, isFolder } from '@cairn/sdk'
import { makeZip } from 'client-zip'
import { openTarget } from '../cipher/open-target.ts'
import { mayBeFolder } from '../content/folder-type.ts'
import { loadCode } from '../parts/load-code.ts'
import { endZip } from './end-zip.ts'
import { type Entry, requireInside } from './entry.ts'
import { joinWrites } from './join-writes.ts'
import { openKept } from './kept-zips.ts'
import { openPublicEntries, openUnlessLink } from './public-entries.ts'
import { filesAtOnce, readEarly } from './read-early.ts'
import { runAhead } from './run-ahead.ts'
import type { WriteOrder, WrittenZip, ZipItem } from './zip-order.ts'

export type ZipTools = {
  needKey: (cid: string) => Promise<string>
  onProgress: (fileCount: number, bytes: number) => void
}

const progressMs = 200

/**
 * Writes items into one ZIP, one after the other: each byte is verified, decrypted if required, and written. Neither the page
 * nor the worker holds more than a piece of a large file and some small ones. A stored folder comes in one response. Files are
 * stored without compression; large ones, and very many, as ZIP64. Symbolic links are left out: where they lead is only known
 * where the ZIP is unpacked.
 * @returns with the file, if the user could not choose one
 * @throws CairnError those of `openFile`, `openDecrypted` and `openTarget`, INVALID_PATH (a name that leads out of the ZIP); then
 *   nothing is left
 */
export async function writeZip(
  { network, apiKey, items, target }: Omit<WriteOrder, 'kind'>,
  { needKey, onProgress }: ZipTools,
): Promise<WrittenZip> {
  const client = createClient({ network, ...(apiKey === undefined ? {} : { apiKey }) })
  const output = target === undefined ? await openKept() : { target: await openTarget(target) }
  let entryCount = 0
  const file = endZip(joinWrites(output.target), () => entryCount)
  const leftOut: string[] = []
  let fileCount = 0
  let bytes = 0
  let reported = 0
  const report = () => {
    const now = performance.now()
    if (now - reported < progressMs) return
    reported = now
    onProgress(fileCount, bytes)
  }
  async function* entries() {
    for await (const entry of openEntries(client, items, { needKey, onLeftOut: (path) => leftOut.push(path) })) {
      requireInside(entry.name)
      entryCount++
      const { input, ...about } = entry
      if (input === undefined) {
        yield about
        continue
      }
      fileCount++
      report()
      yield { ...about, input }
    }
  }
  try {
    const reader = makeZip(entries()).getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      await file.write(next.value)
      bytes += next.value.length
      report()
    }
    await file.close()
  } catch (error) {
    await file.abort()
    if ('remove' in output) await output.remove()
    throw error
  }
  return { file: 'read' in output ? await output.read() : undefined, fileCount, bytes, leftOut }
}

/**
 * Opens the files in their order. Large files and folders are opened when the one before is written; small files are read some
 * ahead of it, because each takes a request, and an encrypted one also those for its key.
 */
async function* openEntries(
  client: Client,
  items: readonly ZipItem[],
  { needKey, onLeftOut }: Pick<ZipTools, 'needKey'> & { onLeftOut: (path: string) => void },
): AsyncGenerator<Entry, void, undefined> {
  const read = async (item: ZipItem) => ({ item, early: await readEarly(client, item, needKey) })
  for await (const { item, early } of runAhead(items, filesAtOnce, read)) {
    const { path, cid, innerPath, mimeType, isEncrypted, isPrivate, modifiedAt } = item
    const lastModified = new Date(modifiedAt)
    if (early !== undefined) {
      if (early.bytes === undefined) onLeftOut(path)
      else yield { name: path, lastModified, input: once(early.bytes) }
      continue
    }
    if (cid === undefined) {
      yield { name: path, lastModified }
      continue
    }
    const isStoredFolder = mayBeFolder({ cid, mimeType }) && (await isFolder(client, cid))
    if (isEncrypted) {
      // A ZIP of public files does not load the code of decryption.
      const { openEncryptedEntries } = await loadCode(import('./encrypted-entries.ts'))
      const masterKey = await needKey(cid)
      yield* openEncryptedEntries(client, { path, cid, innerPath, masterKey, lastModified, isStoredFolder })
      continue
    }
    const cidPath = innerPath === undefined || innerPath === '' ? cid : `${cid}/${innerPath}`
    if (isStoredFolder) yield* openPublicEntries(client, { cidPath, isPrivate, path, lastModified, onLeftOut })
    else {
      const input = await openUnlessLink(client, { cidPath: cid, isPrivate })
      if (input === undefined) onLeftOut(path)
      else yield { name: path, lastModified, input }
    }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
