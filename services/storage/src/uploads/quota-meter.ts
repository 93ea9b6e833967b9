import { KIB, MIB } from '@cairn/protocol'
import type { Kysely } from 'kysely'
import type { Context } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import {
  charge,
  isShortage,
  measureFreeDisk,
  type Reservation,
  requireQuota,
  reserve,
  settle,
  shortOf,
} from '../ledger/ledger.ts'

/** Quota reserved per step while a body of unknown length streams in. */
const stepBytes = 8 * MIB
/** Maximum excess of a body's length over the bytes of its files: headers of many small parts. */
const maxFramingBytes = 16 * MIB

/**
 * Maximum announced bytes that are charged when the upload is recorded, without a reservation: it would cost a second commit, which is
 * most of the work for a small file.
 */
const maxUnreservedBytes = 64 * KIB

const framingOf = (sizeBytes: number): number => Math.min(maxFramingBytes, sizeBytes / 4)

/** Counts the bytes of an upload and reserves quota for them before they are stored. */
export type QuotaMeter = {
  /**
   * Reserves quota for the announced bytes, so that an upload that cannot fit is rejected unread.
   * @param sizeBytes bytes of files, including headers of further parts
   * @throws CairnError as `reserve`
   */
  expect(sizeBytes: number): Promise<void>
  /** Ensures that quota for further bytes is reserved. @throws CairnError as `reserve` */
  take(sizeBytes: number): void | Promise<void>
  readonly takenBytes: number
  /** Must be called before the unit of work that settles. */
  ready(): Promise<void>
  /** Converts the reservation to usage, in the unit of work that records the upload. */
  settle(trx: Kysely<Schema>, usedBytes: number): Promise<void>
  /** Releases the reservation. Does nothing after a committed settle. */
  release(): Promise<void>
}

/**
 * Rejects a body whose files certainly exceed the quota of an account, for clients that wait before they send it.
 * @throws CairnError as `requireQuota`
 */
export function requireQuotaOfBody(context: Context, address: string, bodyBytes: number): Promise<void> {
  return requireQuota(context, address, Math.floor(bodyBytes - framingOf(bodyBytes)))
}

/**
 * Opens the meter of one upload.
 * @param reserved quota that is already reserved for it. Defaults to none.
 */
export function openQuotaMeter(
  context: Context,
  address: string,
  reserved?: { reservation: Reservation; heldBytes: number },
): QuotaMeter {
  let reservation = reserved?.reservation
  let held = reserved?.heldBytes ?? 0
  /** Announced bytes of the whole upload; 0 when unknown. */
  let expected = 0
  let taken = 0
  /** Whether the held bytes are only known to fit. */
  let isUnreserved = false
  let freeDiskBytes = 0

  const hold = async (sizeBytes: number): Promise<void> => {
    if (reservation === undefined) reservation = await reserve(context, address, sizeBytes)
    else await reservation.grow(sizeBytes)
    held += sizeBytes
  }

  /** Reports the whole upload as missing, so that a user who pays for it is not asked to pay again. */
  const notifyWhole = async (error: unknown, needed: number): Promise<unknown> => {
    if (!isShortage(error)) return error
    const availableBytes = held + Number(error.details['availableBytes'])
    return shortOf(context, context.db.read, error.code, Math.max(needed, expected), availableBytes)
  }

  /** Counts bytes that were only checked against the quota as not reserved, so that the first reservation includes them. */
  const reserveFromStart = (): void => {
    if (isUnreserved) held = 0
    isUnreserved = false
  }

  const growTo = async (needed: number): Promise<void> => {
    reserveFromStart()
    const missing = needed - held
    const step = Math.max(missing, stepBytes)
    try {
      await hold(step)
    } catch (error) {
      if (step === missing || !isShortage(error)) throw await notifyWhole(error, needed)
      // Near the limit a whole step may not fit although the required bytes do.
      try {
        await hold(missing)
      } catch (last) {
        throw await notifyWhole(last, needed)
      }
    }
  }

  return {
    async expect(sizeBytes) {
      if (sizeBytes <= held) return
      expected = sizeBytes
      reserveFromStart()
      try {
        if (reservation === undefined && sizeBytes <= maxUnreservedBytes) {
          await requireQuota(context, address, sizeBytes)
          held = sizeBytes
          isUnreserved = true
        } else await hold(sizeBytes - held)
      } catch (error) {
        if (!isShortage(error)) throw error
        const missing = Number(error.details['missingBytes'])
        // Files may fit although files and headers together do not: the check per piece decides.
        if (!(missing <= framingOf(sizeBytes))) throw error
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
      if (isUnreserved) freeDiskBytes = await measureFreeDisk(context)
      else if (reservation === undefined) await hold(0)
    },
    async settle(trx, usedBytes) {
      if (isUnreserved) return charge(context, trx, { address, bytes: usedBytes, freeDiskBytes })
      if (reservation === undefined) throw new TypeError('settle was called before ready')
      await settle(trx, reservation, usedBytes)
    },
    async release() {
      await reservation?.release()
    },
  }
}
