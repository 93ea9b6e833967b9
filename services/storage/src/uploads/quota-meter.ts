import { MIB } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import { isShortage, type Reservation, reserve, settle, shortOf } from '../accounts/quota.ts'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'

/** Room asked for at once while a body of unknown length streams in. */
const stepBytes = 8 * MIB
/** How far a body's length may lie above the bytes of its files: headers of many small parts. */
const framingBytesMost = 16 * MIB

/** Counts what an upload takes and holds room for it before the bytes are stored. */
export type QuotaMeter = {
  /**
   * Holds room for what is told to come, so that it is refused unread where it cannot fit.
   * @param sizeBytes bytes of files, headers of further parts included
   * @throws CairnError as `reserve`
   */
  expect(sizeBytes: number): Promise<void>
  /** Makes sure that there is room for so many more bytes. @throws CairnError as `reserve` */
  take(sizeBytes: number): void | Promise<void>
  readonly takenBytes: number
  /** Must be called before the unit that settles. */
  ready(): Promise<void>
  /** Turns what was held into what is used, inside the unit that records the upload. */
  settle(trx: Kysely<Schema>, usedBytes: number): Promise<void>
  /** Gives back what was held. Does nothing after a settle that was committed. */
  release(): Promise<void>
}

/**
 * Opens the meter of one upload.
 * @param room what is held for it already; nothing unless told
 */
export function openQuotaMeter(
  context: Context,
  address: string,
  room?: { reservation: Reservation; heldBytes: number },
): QuotaMeter {
  let reservation = room?.reservation
  let held = room?.heldBytes ?? 0
  /** What the whole upload was said to need, where it was said. */
  let expected = 0
  let taken = 0

  const hold = async (sizeBytes: number): Promise<void> => {
    if (reservation === undefined) reservation = await reserve(context, address, sizeBytes)
    else await reservation.grow(sizeBytes)
    held += sizeBytes
  }

  /** Whoever pays for what is missing shall not hear of more missing the next time: the whole upload counts. */
  const tellWhole = (error: unknown, needed: number): unknown => {
    if (!isShortage(error)) return error
    return shortOf(context, error.code, Math.max(needed, expected), held + Number(error.details['availableBytes']))
  }

  const growTo = async (needed: number): Promise<void> => {
    const missing = needed - held
    const step = Math.max(missing, stepBytes)
    try {
      await hold(step)
    } catch (error) {
      if (step === missing || !isShortage(error)) throw tellWhole(error, needed)
      // Near the end of the room a whole step does not fit, but what is needed may.
      try {
        await hold(missing)
      } catch (last) {
        throw tellWhole(last, needed)
      }
    }
  }

  return {
    async expect(sizeBytes) {
      if (sizeBytes <= held) return
      expected = sizeBytes
      try {
        await hold(sizeBytes - held)
      } catch (error) {
        if (!isShortage(error)) throw error
        const missing = Number(error.details['missingBytes'])
        // The files may fit where they do not with the headers between them: what is stored decides, piece by piece.
        if (!(missing <= Math.min(framingBytesMost, sizeBytes / 4))) throw error
      }
    },
    take(sizeBytes) {
      taken += sizeBytes
      return taken > held ? growTo(taken) : undefined
    },
    get takenBytes() {
      return taken
    },
    async ready() {
      if (reservation === undefined) await hold(0)
    },
    async settle(trx, usedBytes) {
      if (reservation === undefined) throw new TypeError('settle was called before ready')
      await settle(trx, reservation, usedBytes)
    },
    async release() {
      await reservation?.release()
    },
  }
}
