import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { deleteFiles, findOwnUpload, listFiles, type UploadRow } from '../files/files.ts'
import { pinCid } from '../pins/pins.ts'
import { yieldToOthers } from '../resources/yield-to-others.ts'

const rowsAtOnce = 1000

/**
 * Pins a CID for an account, unless the account already pinned it.
 * @throws CairnError as `pinCid`
 */
export async function pinOnce(
  context: Context,
  address: string,
  cid: CID,
  name: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const known = await findOwnUpload(context, address, cid)
  if (known === undefined) await pinCid(context, address, cid, { fileName: name }, signal)
}

/** Lists an account's pins, newest first. */
export async function* listPins(
  context: Context,
  address: string,
  signal: AbortSignal,
): AsyncGenerator<UploadRow, void, undefined> {
  const sorting = { by: 'created_at', order: 'desc' } as const
  for (let lastKey: string | undefined; ; ) {
    const { rows } = await listFiles(context, address, {
      lastKey,
      sorting,
      filter: undefined,
      limit: rowsAtOnce,
      signal,
    })
    yield* rows
    lastKey = rows.at(-1)?.id
    if (rows.length < rowsAtOnce) return
    // On SQLite, a page makes no pause of its own.
    await yieldToOthers(signal)
  }
}

/** Pins per piece of a line: a millisecond of work. */
const pinsPerPiece = 500

/** Writes pins as Kubo does, in one line, in pieces between which other work runs. */
export async function* writePins(
  pins: ReadonlyMap<string, { Type: string; Name: string }>,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const entries = [...pins]
  yield entries.length === 0 ? '{' : '{"Keys":{'
  for (let at = 0; at < entries.length; at += pinsPerPiece) {
    const piece = JSON.stringify(Object.fromEntries(entries.slice(at, at + pinsPerPiece))).slice(1, -1)
    yield at === 0 ? piece : `,${piece}`
    await yieldToOthers(signal)
  }
  yield entries.length === 0 ? '}\n' : '}}\n'
}

/** Returns an account's pin of a CID. @throws CairnError NOT_FOUND with Kubo's message */
export async function requirePin(context: Context, address: string, cid: CID, path: string): Promise<UploadRow> {
  const row = await findOwnUpload(context, address, cid)
  if (row === undefined) throw notPinned(path)
  return row
}

/** Removes all uploads and pins of a CID from an account. @throws CairnError NOT_FOUND with Kubo's message, CONFLICT */
export async function unpin(context: Context, address: string, cid: CID, path: string): Promise<void> {
  try {
    await deleteFiles(context, address, { cid })
  } catch (error) {
    throw CairnError.is(error, 'NOT_FOUND') ? notPinned(path) : error
  }
}

export function notPinned(path: string): CairnError {
  return new CairnError('NOT_FOUND', {
    message: `path '${path.slice(0, 200)}' is not pinned`,
    hint: 'List the pins of this account with pin/ls.',
  })
}
