import { sql } from 'kysely'

/** Whether an upload needs a pack, finished or not. For statements about `pack`. */
export const isUsed = sql<boolean>`(exists (select 1 from upload_pack where upload_pack.pack_id = pack.id)
  or exists (select 1 from held_pack where held_pack.pack_id = pack.id))`
