import { CID } from 'multiformats/cid'
import type { TestNetwork } from '../fixtures.ts'

/** Rows as uploads leave them, all of one small content. */
export async function addRows({ storage }: TestNetwork, address: string, count: number): Promise<void> {
  const { db } = storage.context
  const time = Date.now()
  const cid = CID.parse('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
  await db.write(async (trx) => {
    for (let from = 0; from < count; from += 500) {
      await trx
        .insertInto('upload')
        .values(
          Array.from({ length: 500 }, (_none, i) => ({
            id: `018bcfe5-0000-7000-8000-${String(from + i).padStart(12, '0')}`,
            address,
            cid: cid.toString(),
            root_multihash: cid.multihash.bytes,
            name: `file-${String(from + i).padStart(5, '0')}.txt`,
            mime_type: 'text/plain',
            size_bytes: 11,
            dag_size_bytes: 11,
            encryption: 0 as const,
            storage_type: null,
            kind: 'file' as const,
            status: 'stored',
            created_at: time + i,
            updated_at: time + i,
          })),
        )
        .execute()
    }
    await trx.updateTable('account').set({ upload_count: count }).where('address', '=', address).execute()
  })
}
