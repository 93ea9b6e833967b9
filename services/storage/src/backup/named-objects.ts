import type { Snapshot } from '@cairn/service'

/** An object that a row names, and its size as recorded; undefined where no row records it. */
export type NamedObject = { readonly key: string; readonly bytes: number | undefined }

const queries = [
  // Packs being removed, and those of uploads in progress, do not belong to a backup. Orphaned ones are kept data.
  `select object_key, case when hold = 'orphaned' then null else size_bytes end from pack
    where merged_id is null and (state = 'live' and (hold is null or hold = 'recovered')) or hold = 'orphaned' order by object_key`,
  'select tree_key, null from piece where tree_key is not null order by tree_key',
  'select object_key, size_bytes from resumable_part order by object_key',
  'select object_key, size_bytes from s3_part order by object_key',
]

/** Returns all objects that a snapshot names. */
export async function listNamedObjects(snapshot: Snapshot): Promise<NamedObject[]> {
  const named: NamedObject[] = []
  for (const query of queries) {
    for await (const batch of snapshot.readRows(query)) {
      for (const [key, bytes] of batch)
        named.push({ key: String(key), bytes: typeof bytes === 'bigint' ? Number(bytes) : undefined })
    }
  }
  return named
}
