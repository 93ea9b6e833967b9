import { createReadStream } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CairnError } from '@cairn/sdk'
import { readCar, verifyDag } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { countOf } from '../text/count-of.ts'
import { createBlockTable } from './block-table.ts'
import { describeImportError } from './import-error.ts'
import type { ImportItem, ImportSource } from './import-source.ts'
import { findOwn } from './own-content.ts'
import { parseItemCid } from './parse-item-cid.ts'
import { createStoredBlocks, type StoredBlocks } from './stored-blocks.ts'
import { uploadDag } from './upload-dag.ts'

const identityCode = 0

/** CARs that were read: their blocks, and the roots that they name. */
type CarIndex = { blocks: StoredBlocks; roots: ImportItem[]; damaged: ImportItem[] }

/**
 * CARs on this machine. A DAG may be spread over several CARs, as Storacha and web3.storage store larger uploads: only
 * the last names the root, or each names it. Each root of a header is one upload.
 * @param paths CARs, and folders that contain CARs at any depth
 * @param listed uploads by CID with their names, for CARs that name no root
 * @param isEncrypted whether all content is encrypted
 * @see https://github.com/storacha/upload-service/blob/main/packages/upload-client/src/sharding.js
 */
export function createCarSource(
  id: string,
  paths: readonly string[],
  listed: readonly ImportItem[],
  isEncrypted: boolean,
  onStep: (text: string) => void,
): ImportSource {
  let indexing: Promise<CarIndex> | undefined
  const index = (signal: AbortSignal): Promise<CarIndex> => {
    indexing ??= indexCars(paths, listed, signal, onStep)
    return indexing
  }
  return {
    id,
    async *items(signal) {
      const { roots, damaged } = await index(signal)
      yield* damaged
      for (const root of roots) yield isEncrypted ? { ...root, isEncrypted } : root
    },
    async measure(item, signal) {
      const { blocks } = await index(signal)
      const root = parseItemCid(item.cid ?? '')
      let sizeBytes = 0
      const counting = {
        get: (cid: CID) => blocks.get(cid),
        has(cid: CID) {
          const [place] = blocks.table.find(cid)
          sizeBytes += place?.length ?? 0
          return place !== undefined
        },
      }
      await verifyDag(counting, [root], { signal })
      return sizeBytes
    },
    async transfer(item, { client, signal, onBytes }) {
      const { blocks } = await index(signal)
      const root = parseItemCid(item.cid ?? '')
      const cid = root.toString()
      if ((await findOwn(client, cid, undefined, signal)) !== undefined) return { cid, bytes: 0, isPresent: true }
      // Before the upload: it names the missing block, and sends nothing.
      await verifyDag(blocks, [root], { signal })
      const bytes = await uploadDag(client, blocks, root, item, signal)
      onBytes(bytes)
      return { cid, bytes, isPresent: false }
    },
  }
}

async function indexCars(
  paths: readonly string[],
  listed: readonly ImportItem[],
  signal: AbortSignal,
  onStep: (text: string) => void,
): Promise<CarIndex> {
  const files: string[] = []
  // One by one: a call takes a limited number of arguments.
  for (const path of paths) for (const file of await findCars(path, signal)) files.push(file)
  if (files.length === 0) {
    throw new CairnError('FILE_UNREADABLE', { message: `${paths.join(', ')}: no file with the extension .car` })
  }
  onStep(countOf(files.length, 'CAR'))
  const table = createBlockTable()
  const roots = new Map<string, ImportItem>()
  for (const item of listed) roots.set(item.cid ?? item.id, item)
  const damaged: ImportItem[] = []
  for (const [number, file] of files.entries()) {
    signal.throwIfAborted()
    try {
      const reading = await readCar(createReadStream(file, { signal }))
      const named = reading.roots.filter(({ multihash }) => multihash.code !== identityCode)
      for (const cid of named) {
        const text = cid.toString()
        const name = named.length === 1 ? nameOf(file, text) : undefined
        if (!roots.has(text)) roots.set(text, rootItem(text, name))
      }
      for await (const { cid, offset, length } of reading.blocks) {
        if (cid.multihash.code !== identityCode) table.add(cid, { file: number, offset, length })
      }
    } catch (error) {
      if (signal.aborted) throw new CairnError('ABORTED')
      // The blocks before the damage count.
      damaged.push({ ...rootItem(file, undefined), cid: undefined, error: describeImportError(error) })
    }
  }
  if (roots.size === 0 && damaged.length === 0) {
    throw new CairnError('USAGE', {
      message: 'No CAR names a root',
      hint: 'List the root CIDs in a file, and add it with --roots. Your former service lists them as uploads.',
    })
  }
  return { blocks: createStoredBlocks(files, table), roots: [...roots.values()], damaged }
}

async function findCars(path: string, signal: AbortSignal): Promise<string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  })
  if (!found.isDirectory()) return [path]
  const cars: string[] = []
  // A stack instead of a recursive `readdir`, which would hold all entries in memory and could not be stopped.
  for (const folders = [path]; ; ) {
    const folder = folders.pop()
    if (folder === undefined) return cars.sort()
    signal.throwIfAborted()
    for await (const entry of await opendir(folder)) {
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
      else if (entry.isFile() && entry.name.toLowerCase().endsWith('.car')) cars.push(join(folder, entry.name))
    }
  }
}

/** The name of the file is that of the content, unless it is a CID: shards have the CID of the CAR as their name. */
function nameOf(file: string, root: string): string | undefined {
  const name = basename(file).replace(/\.car$/i, '')
  if (name === root || name === '') return undefined
  try {
    CID.parse(name)
    return undefined
  } catch {
    return name
  }
}

function rootItem(cid: string, name: string | undefined): ImportItem {
  return { id: cid, cid, name, mimeType: undefined, isEncrypted: false, sizeBytes: undefined }
}
