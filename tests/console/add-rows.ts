import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import type { TestNetwork } from '../fixtures.ts'

/** Rows as uploads leave them, each with different content that is not stored. */
export async function addRows({ storage }: TestNetwork, address: string, count: number): Promise<void> {
  const { db } = storage.context
  const time = Date.now()
  const cids = Array.from({ length: count }, (_none, i) =>
    CID.createV1(0x55, create(0x12, createHash('sha256').update(`${i}`).digest())),
  )
  await db.write(async (trx) => {
    for (let from = 0; from < count; from += 500) {
      await trx
        .insertInto('upload')
        .values(
          cids.slice(from, from + 500).map((cid, i) => ({
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
