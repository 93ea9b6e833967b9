// Imports a file or folder with ipfs-unixfs-importer into blockstore-fs: `importer-client.ts BLOCKS PATH`.
import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'

const [folder = '', path = ''] = process.argv.slice(2)
const blocks = new FsBlockstore(folder)
await blocks.open()

function* source() {
  if (!statSync(path).isDirectory()) {
    yield { path: 'file', content: createReadStream(path, { highWaterMark: 1024 * 1024 }) }
    return
  }
  for (const name of readdirSync(path)) yield { path: `folder/${name}`, content: createReadStream(join(path, name)) }
}

const started = performance.now()
let last = ''
const options = {
  cidVersion: 1,
  rawLeaves: true,
  chunker: fixedSize({ chunkSize: 262_144 }),
  layout: balanced({ maxChildrenPerNode: 174 }),
} as const
for await (const entry of importer(source(), blocks, options)) last = entry.cid.toString()
console.log(`${last} took ${performance.now() - started} ms`)
