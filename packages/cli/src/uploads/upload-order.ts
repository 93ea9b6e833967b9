import { createOrderedRunner } from './run-in-order.ts'

/** Outcome of an upload of an import: stored under its name by this run, by an earlier run, or neither. */
export type Outcome = 'stored' | 'done before' | 'neither'

/** An upload whose order matters. */
type Upload = { cid: string | undefined; name: string | undefined }

/** A name whose newest upload, with this CID, was stored before an older one. */
export type Displaced = { name: string; cid: string }

/**
 * The order of uploads of an import. The drive treats uploads with the same name as versions of a file: the first one identifies
 * the file, and the last one is its content. It treats uploads with the same CID as one file with the first name.
 */
export type UploadOrder = {
  /**
   * Runs uploads concurrently, but uploads that share a name or a CID one after the other, in the order of the calls. If one
   * throws, the uploads queued behind it throw its error.
   */
  run(upload: Upload, work: () => Promise<Outcome>): Promise<void>
  /**
   * Returns the names whose newest version an earlier run stored, while this run stored an older one, which is now the newest in
   * the drive.
   */
  displaced(): Displaced[]
}

export function createUploadOrder(): UploadOrder {
  const runInOrder = createOrderedRunner<Outcome>()
  /** Names of this run's uploads, with the upload that must be the newest if it was stored before. */
  const newest = new Map<string, string | undefined>()
  return {
    async run(upload, work) {
      const { cid, name } = upload
      const outcome = await runInOrder(keysOf(upload), work)
      if (name === undefined) return
      if (outcome === 'stored') newest.set(name, undefined)
      else if (outcome === 'done before' && cid !== undefined && newest.has(name)) newest.set(name, cid)
    },
    displaced: () => [...newest].flatMap(([name, cid]) => (cid === undefined ? [] : [{ name, cid }])),
  }
}

/** Describes what happened to the versions of a name, and how to make the newest version current again. */
export function describeDisplaced({ name, cid }: Displaced): string {
  const command = `cairn drive restore ${JSON.stringify(name)} --cid ${cid}`
  return `order: an older version of ${JSON.stringify(name)} was stored last. To make the newest version current again: ${command}`
}

/** Names that the drive shows as one have the same letters and digits. */
function keysOf({ cid, name }: Upload): string[] {
  const keys: string[] = []
  if (cid !== undefined) keys.push(`cid ${cid}`)
  if (name !== undefined) keys.push(`name ${name.normalize('NFC').replaceAll(/[^\p{L}\p{N}]/gu, '')}`)
  return keys
}
