import { createFileImporter, importProfiles } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { hashSha256 } from '../../services/storage/src/packs/packs.ts'
import type { Place } from './place.ts'

/** Stores a file as an upload. */
export async function storeFile({ packs, db }: Place, content: Iterable<Uint8Array>): Promise<CID> {
  const writer = packs.begin()
  try {
    const importer = createFileImporter({ profile: importProfiles.v1, hash: hashSha256, sink: writer.sink })
    for (const piece of content) await importer.write(piece)
    const { cid, fileSizeBytes } = await importer.finish()
    const sealed = await writer.seal([cid])
    const id = `${cid}-${process.pid}-${performance.now()}`
    try {
      await db.write(async (trx) => {
        await trx
          .insertInto('upload')
          .values({
            id,
            address: 'a',
            cid: `${cid}`,
            root_multihash: cid.multihash.bytes,
            name: 'file',
            mime_type: null,
            size_bytes: fileSizeBytes,
            dag_size_bytes: fileSizeBytes,
            encryption: 0,
            storage_type: null,
            kind: 'file',
            status: 'stored',
            created_at: Date.now(),
            updated_at: Date.now(),
          })
          .execute()
        await packs.record(trx, sealed, id)
      })
    } catch (error) {
      await packs.discard(sealed)
      throw error
    }
    await packs.confirm(sealed)
    return cid
  } catch (error) {
    await writer.abort()
    throw error
  }
}
