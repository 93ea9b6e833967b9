import { createOrderedRunner } from './run-in-order.ts'

/** What came of an upload of an import: this run stored it under its name, an earlier run did, or neither. */
export type Outcome = 'stored' | 'done before' | 'neither'

/** An upload of which the order counts. */
type Upload = { cid: string | undefined; name: string | undefined }

/** A name of which an older upload was stored after the newest one, whose CID this is. */
export type Displaced = { name: string; cid: string }

/**
 * The order of uploads of an import. The drive takes those of one name for versions of a file, which the first of them identifies
 * and of which the last is its content, and those of one CID for a file with the first name.
 */
export type UploadOrder = {
  /**
   * Runs uploads at the same time, but those that share a name or a CID one after the other, in the order in which they came.
   * After one that throws, those that wait for it throw its error.
   */
  run(upload: Upload, work: () => Promise<Outcome>): Promise<void>
  /**
   * Returns the names whose newest version an earlier run stored, while this run stored an older one, which then is the newest
   * in the drive.
   */
  displaced(): Displaced[]
}

export function createUploadOrder(): UploadOrder {
  const runInOrder = createOrderedRunner<Outcome>()
  /** Names of this run's uploads, with the upload that has to be the newest if it was stored before. */
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

/** Says what happened to the versions of a name, and what makes the newest one the content of the file again. */
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
