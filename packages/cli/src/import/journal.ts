import { open, readFile, rm } from 'node:fs/promises'
import { CairnError } from '@cairn/sdk'
import * as v from 'valibot'
import { parseRow } from '../archive/format.ts'

const header = v.object({ format: v.literal('cairn-import/1'), source: v.string(), account: v.string() })
const doneRow = v.object({ id: v.string(), cid: v.string() })

/** The finished items of an import, in a file that survives an interruption. */
export type Journal = AsyncDisposable & {
  has(id: string): boolean
  readonly size: number
  /** Records an item. Resolves when the record is durable. */
  add(id: string, cid: string): Promise<void>
}

/**
 * Opens the journal at `path`, or creates it. Removes a last line that was not written completely.
 * @param belongsTo the source, and the network and account that it is imported into
 * @throws CairnError INVALID_ARCHIVE when the journal belongs to another import
 */
export async function openJournal(path: string, belongsTo: { source: string; account: string }): Promise<Journal> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  const [first, ...lines] = whole.split('\n').filter((line) => line !== '')
  const done = new Set<string>()
  if (first !== undefined) {
    const { source, account } = parseRow(header, first, path)
    if (source !== belongsTo.source || account !== belongsTo.account) {
      throw new CairnError('INVALID_ARCHIVE', {
        message: `${path} belongs to an import of ${source} into ${account}`,
        hint: 'Choose another file with --state.',
        details: { path },
      })
    }
    for (const line of lines) done.add(parseRow(doneRow, line, path).id)
  }
  const file = await open(path, 'a', 0o600)
  await file.truncate(Buffer.byteLength(whole))
  let last = Promise.resolve()
  const append = (row: object): Promise<void> => {
    last = last.then(async () => {
      await file.appendFile(`${JSON.stringify(row)}\n`)
      await file.datasync()
    })
    return last
  }
  if (first === undefined) await append({ format: 'cairn-import/1', ...belongsTo })
  return {
    has: (id) => done.has(id),
    get size() {
      return done.size
    },
    async add(id, cid) {
      await append({ id, cid })
      done.add(id)
    },
    async [Symbol.asyncDispose]() {
      await last.catch(() => undefined)
      await file.close()
      // An empty journal that this call created is useless.
      if (first === undefined && done.size === 0) await rm(path, { force: true })
    },
  }
}
