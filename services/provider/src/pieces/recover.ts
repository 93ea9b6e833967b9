import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { isDamage, noteDamage } from './damage.ts'
import { readPiece } from './read-piece.ts'
import { listRows, type PieceRow, recordFound } from './store.ts'

const pageRows = 500
/** Unit of the space that a file takes, as `stat` states it. */
const diskUnitBytes = 512

/**
 * Reconciles rows and files at a start: keeps complete pieces without a row, removes other files without one, and marks
 * kept pieces whose payload is missing or of another length. Waiting pieces keep their parts.
 */
export async function recover(context: Context): Promise<{ adopted: number; removed: number; damaged: number }> {
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
      if (row.state !== 'kept') return
      if ((await statPayload(context, row.cid))?.size === row.payload_bytes) return
      await noteDamage(context, row, new Error('the payload is missing or its length is wrong'))
      damaged++
    }
    await Promise.all(rows.map(check))
    after = rows.length === pageRows ? rows.at(-1)?.cid : undefined
  }
  let adopted = 0
  for (const cid of strays) {
    if (await adopt(context, cid)) adopted++
    else await files.remove(cid)
  }
  return { adopted, removed: strays.size - adopted, damaged }
}

/**
 * Records a piece whose row is gone, as after the loss or restore of the database: its payload was verified before it
 * got its name, may be the last copy, and is the first to be verified again. Returns whether there is a payload.
 */
async function adopt(context: Context, name: string): Promise<boolean> {
  const payloadBytes = readPayloadBytes(name)
  const file = payloadBytes === undefined ? undefined : await statPayload(context, name)
  if (file === undefined || file.size !== payloadBytes) return false
  const usedBytes = Math.min(file.size, file.blocks * diskUnitBytes)
  await context.db.write((trx) => recordFound(trx, { cid: name, payloadBytes, usedBytes }, Math.round(file.mtimeMs)))
  return true
}

/** Returns undefined for a name that is not the CID of a piece in the form of its files. */
function readPayloadBytes(name: string): number | undefined {
  try {
    const { piece, cid } = readPiece(name)
    return cid === name ? piece.payloadBytes : undefined
  } catch (error) {
    if (CairnError.is(error, 'INVALID_PIECE_CID')) return undefined
    throw error
  }
}

async function statPayload({ files }: Context, cid: string): Promise<Stats | undefined> {
  try {
    return await stat(files.payloadPath(cid))
  } catch (error) {
    if (isDamage(error)) return undefined
    throw error
  }
}
