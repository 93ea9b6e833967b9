import { saveContent } from '#platform/save-content'
import type { Client } from '../client.ts'
import type { DownloadResult, DownloadToDiskOptions } from './disk-options.ts'

/**
 * Downloads a file or folder to a path (Node). Writes each file to `{path}.part` and renames it once it is verified and
 * durable. A later call resumes after it verifies the existing part. A folder of small files is fetched with one request.
 * @throws CairnError FILE_EXISTS, INVALID_PATH (a name outside the folder), BLOCK_NOT_FOUND, VERIFICATION_FAILED,
 *   DOWNLOAD_INCOMPLETE (call again to resume), ABORTED
 */
export function downloadFile(
  client: Client,
  cidPath: string,
  target: string,
  options: DownloadToDiskOptions = {},
): Promise<DownloadResult> {
  return saveContent(client, cidPath, target, options)
}
