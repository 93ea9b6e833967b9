import { CairnError } from '@cairn/protocol'
import type { Client } from '../client.ts'
import type { DownloadResult, DownloadToDiskOptions } from '../download/disk-options.ts'
import { saveFile } from '../download/save-file.ts'
import { saveFolder } from '../download/save-folder.ts'

/** Saves a file or folder to a path. */
export async function saveContent(
  client: Client,
  cidPath: string,
  target: string,
  options: DownloadToDiskOptions,
): Promise<DownloadResult> {
  try {
    return { path: target, sizeBytes: await saveFile(client, cidPath, target, options), files: 1 }
  } catch (error) {
    if (!CairnError.is(error, 'NOT_A_FILE')) throw error
    return saveFolder(client, cidPath, target, options).catch((cause: unknown) => {
      // Neither a file nor a folder: the first error describes it.
      throw CairnError.is(cause, 'NOT_A_DIRECTORY') ? error : cause
    })
  }
}
