// A child process that stores things and says so, for tests that kill it or make its system calls fail.
// node store-program.ts <folder> one <seed>    stores one file of 5 MiB, prints "ack <cid>" or "error <code>", ends
// node store-program.ts <folder> many <seed>   stores small files in 8 lanes until it is killed, prints "ack <cid>" each
// node store-program.ts <folder> large <MiB>   stores and reads one large file, prints "ack <cid> <peak memory in MiB>"
import { writeSync } from 'node:fs'
import { CairnError, MIB } from '@cairn/protocol'
import { createFileImporter, importProfiles, readFile } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { hashSha256 } from '../../services/storage/src/packs/packs.ts'
import { generate } from './generate.ts'
import { openPlace, type Place } from './place.ts'

async function storeFile({ packs, db }: Place, content: Iterable<Uint8Array>): Promise<CID> {
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

const [, , folder = '', what, argument = '0'] = process.argv
const print = (line: string) => writeSync(1, `${line}\n`)

const place = await openPlace(folder)
if (what === 'one') {
  try {
    print(`ack ${await storeFile(place, generate(5 * MIB, Number(argument)))}`)
  } catch (error) {
    print(`error ${CairnError.is(error) ? error.code : error}`)
  }
} else if (what === 'many') {
  let count = 0
  const lane = async () => {
    for (;;)
      print(`ack ${await storeFile(place, generate(4096 * (1 + (count % 80)), Number(argument) * 100_000 + count++))}`)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
} else {
  const cid = await storeFile(place, generate(Number(argument) * MIB, 7))
  let read = 0
  for await (const piece of readFile(place.packs.openReader(), cid)) read += piece.length
  if (read !== Number(argument) * MIB) throw new Error(`read ${read} bytes`)
  print(`ack ${cid} ${Math.round(process.resourceUsage().maxRSS / 1024)}`)
}
process.exit(0)
