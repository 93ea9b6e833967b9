import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Lists of uploads that exports of services have beside their CARs, such as `uploads.json` of `storacha ls --json`. */
const listName = /^(?:uploads|roots)\.(?:csv|tsv|txt|json|jsonl|ndjson)$/i

/** Finds the lists of uploads in folders of CARs. */
export async function findUploadLists(paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (one) => one.isDirectory(),
      () => false,
    )
    if (!isFolder) continue
    const names = (await readdir(path)).filter((name) => listName.test(name))
    found.push(...names.sort().map((name) => join(path, name)))
  }
  return found
}
