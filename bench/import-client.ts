// Imports a file into a pack store without HTTP, durable: `import-client.ts FOLDER PATH`.
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { createFileImporter, importProfiles } from '@cairn/unixfs'
import { openDatabase } from '../services/storage/src/db/database.ts'
import { createPackPlace } from '../services/storage/src/packs/pack.fixture.ts'
import { hashSha256 } from '../services/storage/src/packs/packs.ts'

const [folder = '', path = ''] = process.argv.slice(2)
const place = await createPackPlace(await openDatabase({ kind: 'sqlite', path: join(folder, 'rows.sqlite') }))
const started = performance.now()
const writer = place.packs.begin()
const importer = createFileImporter({ profile: importProfiles.v1, hash: hashSha256, sink: writer.sink })
const file = await open(path)
// One buffer is imported while the other is read.
const buffers = [Buffer.allocUnsafe(1024 * 1024), Buffer.allocUnsafe(1024 * 1024)] as const
let at = 0
let reading = file.read(buffers[0], 0, buffers[0].length, 0)
for (let turn = 0; ; turn++) {
  const { bytesRead, buffer } = await reading
  if (bytesRead === 0) break
  at += bytesRead
  reading = file.read(turn % 2 === 0 ? buffers[1] : buffers[0], 0, buffers[0].length, at)
  await importer.write(buffer.subarray(0, bytesRead))
}
await file.close()
const { cid } = await importer.finish()
await place.record(await writer.seal([cid]), cid)
console.log(`${cid} took ${performance.now() - started} ms`)
await place.remove()
