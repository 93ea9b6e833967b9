import { stat } from 'node:fs/promises'
import type { Context } from '../context.ts'
import { isDamage, noteDamage } from './damage.ts'
import { listRows, type PieceRow } from './store.ts'

const pageRows = 500

/**
 * Reconciles rows and files at a start: removes files without a row, and marks kept pieces whose payload is missing
 * or of another length. Waiting pieces keep their parts.
 */
export async function recover(context: Context): Promise<{ removed: number; damaged: number }> {
  const { db, files } = context
  const strays = await files.list()
  let damaged = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const rows: PieceRow[] = await listRows(db.read, {
      after,
      limit: pageRows,
      states: ['queued', 'kept', 'damaged'],
    })
    const check = async (row: PieceRow): Promise<void> => {
      strays.delete(row.cid)
      if (row.state !== 'kept' || (await isWhole(files.payloadPath(row.cid), row.payload_bytes))) return
      await noteDamage(context, row, new Error('the payload is missing or its length is wrong'))
      damaged++
    }
    await Promise.all(rows.map(check))
    after = rows.length === pageRows ? rows.at(-1)?.cid : undefined
  }
  for (const cid of strays) await files.remove(cid)
  return { removed: strays.size, damaged }
}

async function isWhole(path: string, sizeBytes: number): Promise<boolean> {
  try {
    return (await stat(path)).size === sizeBytes
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}
