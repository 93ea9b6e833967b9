import type { Selectable } from 'kysely'
import type { UploadTable } from './schema.ts'

/** Columns of the search index, which the service fills again. */
export const searchColumns: readonly string[] = ['search_number', 'search_tokens'] satisfies (keyof UploadTable)[]

/** An upload without the columns of the search index and the key of its request. */
export type UploadRow = Omit<Selectable<UploadTable>, 'search_number' | 'search_tokens' | 'idempotency_key'>

/** The columns of {@link UploadRow}. */
export const uploadColumns = [
  'id',
  'address',
  'cid',
  'root_multihash',
  'name',
  'mime_type',
  'size_bytes',
  'dag_size_bytes',
  'encryption',
  'storage_type',
  'kind',
  'status',
  'created_at',
  'updated_at',
  'tx_hash',
  'is_private',
  'upload_link_id',
] as const satisfies readonly (keyof UploadRow)[]
