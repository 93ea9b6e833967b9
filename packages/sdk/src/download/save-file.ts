import { CairnError } from '@cairn/protocol'
import { openComplete, openPart, writeWhole } from '#platform/part-file'
import type { Client } from '../client.ts'
import { checkPart } from './check-part.ts'
import { parseContentPath } from './content-path.ts'
import type { DownloadToDiskOptions } from './disk-options.ts'
import { type OpenBytes, openBytes, readAll } from './open-file.ts'
import { openOwnSource } from './open-own-source.ts'

/** Files up to this size are written at once, larger ones as they arrive. */
export const smallFileBytes = 256 * 1024

/**
 * Saves a file. Continues an earlier part after it is verified, and keeps a target that has these bytes already.
 * @returns its size in bytes
 * @throws CairnError as downloadFile, and NOT_A_FILE
 */
export async function saveFile(
  client: Client,
  cidPath: string,
  target: string,
  options: DownloadToDiskOptions,
): Promise<number> {
  const { overwrite = false, signal, onProgress } = options
  const reading = {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  }
  // Opened first: a folder or an unknown CID must not leave a file behind.
  let whole = await openBytes(client, cidPath, reading, openOwnSource)
  if (whole.sizeBytes <= smallFileBytes) {
    return writeWhole(target, [await readAll(whole)], overwrite)
  }
  const complete = overwrite ? await openComplete(target) : undefined
  if (complete !== undefined && complete.sizeBytes !== whole.sizeBytes) await complete.close()
  else if (complete !== undefined) {
    await whole.close()
    const verifiedBytes = await checkPart(client, parseContentPath(cidPath), complete, signal).finally(complete.close)
    if (verifiedBytes === whole.sizeBytes) return verifiedBytes
    whole = await openBytes(client, cidPath, reading, openOwnSource)
  }
  const part = await openPart(target, overwrite).catch(async (error: unknown) => {
    await whole.close()
    throw error
  })
  let isOpen = true
  try {
    let position = 0
    let rest: OpenBytes | undefined = whole
    if (part.sizeBytes > 0) {
      await whole.close()
      position = Math.min(await checkPart(client, parseContentPath(cidPath), part, signal), whole.sizeBytes)
      await part.truncate(position, signal)
      rest =
        position < whole.sizeBytes
          ? await openBytes(client, cidPath, { ...reading, fromByte: position, continues: true }, openOwnSource)
          : undefined
    }
    for await (const bytes of rest?.bytes ?? []) {
      await part.write(bytes, position)
      position += bytes.length
    }
    if (position !== whole.sizeBytes) throw new CairnError('DOWNLOAD_INCOMPLETE')
    isOpen = false
    await part.finish(overwrite)
    return whole.sizeBytes
  } finally {
    await whole.close()
    if (isOpen) await part.close()
  }
}
