import { CairnError, KIB, MIB } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import { type Reservation, reserve, settle } from '../accounts/quota.ts'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'

/** Room asked for at once while a body of unknown length streams in. */
const stepBytes = 8 * MIB
/** How far a body's length may lie above the bytes of its files: delimiters and headers of many small parts. */
const framingBytesMost = 16 * MIB

/** Counts what an upload takes and holds room for it before the bytes are stored. */
export type QuotaMeter = {
  /** Makes sure that there is room for so many more bytes. @throws CairnError QUOTA_EXCEEDED */
  take(sizeBytes: number): void | Promise<void>
  readonly takenBytes: number
  /** Turns what was held into what is used, inside the unit that records the upload. */
  settle(trx: Kysely<Schema>, usedBytes: number): Promise<void>
  /** Gives back what was held. Does nothing after a settle that was committed. */
  release(): Promise<void>
}

/**
 * Holds room for an upload: all of it where the length is known, else in steps as it grows.
 *
 * @param bodyBytes length of the body, framing included.
 * @throws CairnError QUOTA_EXCEEDED before a byte is read when the body cannot fit.
 */
export async function openQuotaMeter(
  context: Context,
  address: string,
  bodyBytes: number | undefined,
): Promise<QuotaMeter> {
  const { reservation, heldBytes } = await reserveFirst(context, address, bodyBytes)
  let held = heldBytes
  let taken = 0

  const growTo = async (needed: number): Promise<void> => {
    const missing = needed - held
    const step = Math.max(missing, stepBytes)
    try {
      await reservation.grow(step)
      held += step
    } catch (error) {
      if (step === missing || !CairnError.is(error, 'QUOTA_EXCEEDED')) throw error
      // Near the end of the room a whole step does not fit, but what is needed may.
      await reservation.grow(missing)
      held += missing
    }
  }

  return {
    take(sizeBytes) {
      taken += sizeBytes
      return taken > held ? growTo(taken) : undefined
    },
    get takenBytes() {
      return taken
    },
    settle: (trx, usedBytes) => settle(trx, reservation, usedBytes),
    release: () => reservation.release(),
  }
}

async function reserveFirst(
  context: Context,
  address: string,
  bodyBytes: number | undefined,
): Promise<{ reservation: Reservation; heldBytes: number }> {
  const wanted = Math.max(0, (bodyBytes ?? 0) - KIB)
  try {
    return { reservation: await reserve(context, address, wanted), heldBytes: wanted }
  } catch (error) {
    if (!CairnError.is(error, 'QUOTA_EXCEEDED')) throw error
    const missing = Number(error.details['missingBytes'])
    if (!(missing <= Math.min(framingBytesMost, wanted / 4))) throw error
    // The files may fit where the body with its framing does not: what is stored decides, piece by piece.
    return { reservation: await reserve(context, address, 0), heldBytes: 0 }
  }
}
