import { type Client, exportDrive, listPayments } from '@cairn/sdk'
import { collect, describeDiskError } from './collect.ts'
import type { Export, ExportOptions } from './export-context.ts'
import { exportFiles } from './export-files.ts'
import { exportNames } from './export-names.ts'
import { exportRights } from './export-rights.ts'
import type { Manifest } from './format.ts'
import { type ListWriter, writeList } from './list-file.ts'
import { openArchive, readSealed, writeManifest } from './open-archive.ts'

/**
 * Exports the whole account into a folder: content as verified CARs, names with their signed records, rights, sealed
 * file keys, payments and proofs. An interrupted export resumes: existing content is not downloaded again. The manifest
 * lists items that cannot be exported; they do not stop the rest.
 * @throws CairnError FILE_EXISTS if the folder has other content, FILE_UNREADABLE, and those of the lists of the
 *   account
 */
export async function exportAccount(client: Client, folder: string, options: ExportOptions): Promise<Manifest> {
  try {
    return await exportAll(client, folder, options)
  } catch (cause) {
    throw describeDiskError(cause)
  }
}

async function exportAll(client: Client, folder: string, options: ExportOptions): Promise<Manifest> {
  const before = await openArchive(client, folder, options.account)
  const context: Export = {
    ...options,
    client,
    folder,
    seal: options.createSeal?.(before.seal.salt),
    sealed: await readSealed(folder),
    missing: [],
    // A full or missing disk fails for every file.
    endsAll: ({ code }) => code === 'FILE_UNREADABLE',
  }
  // Until the last list is renamed, the lists differ from those in the manifest.
  const started = { ...before, completedAt: null }
  await writeManifest(folder, started)
  const writers: ListWriter[] = []
  const begin = async (list: Parameters<typeof writeList>[1]) => {
    const writer = await writeList(folder, list)
    writers.push(writer)
    return writer
  }
  try {
    const { counts, format, ...content } = await exportFiles(context, await begin('files'), await begin('proofs'))
    const keys = context.seal === undefined ? undefined : await begin('keys')
    if (keys !== undefined) await exportRights(context, await begin('rights'), keys, content)
    await exportNames(context, await begin('names'), keys)
    // Without its key, the drive cannot be opened.
    const drive =
      keys === undefined
        ? undefined
        : await collect(context, 'drive', options.account, () => exportDrive(client, { signal: options.signal }))
    if (drive !== undefined) {
      // Programs of earlier versions reject a list that they do not know, so an account without a drive has none.
      const parts = await begin('drive')
      for (const part of drive.parts) await parts.add({ keyCid: drive.keyCid, ...part })
    }
    const payments = await begin('payments')
    for await (const payment of listPayments(client, { signal: options.signal })) await payments.add(payment)
    // An export without keys retains the keys, and the drive, of an earlier call.
    const retained = [...(keys === undefined ? ['keys', 'rights'] : []), ...(drive === undefined ? ['drive'] : [])]
    const lists = before.lists.filter(({ name }) => retained.includes(name))
    for (const writer of writers.splice(0)) lists.push(await writer.finish())
    const completedAt = new Date().toISOString()
    const manifest = { ...started, format, completedAt, counts, lists, missing: context.missing }
    await writeManifest(folder, manifest)
    return manifest
  } finally {
    for (const writer of writers) await writer.close()
  }
}
