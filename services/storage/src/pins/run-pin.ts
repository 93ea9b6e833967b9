import { CairnError, eventReason, type Reason, transferTimeoutMs } from '@cairn/protocol'
import { requireCid } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import { isShortage } from '../ledger/ledger.ts'
import { attemptCleanup } from '../uploads/uploads.ts'
import { hostOf } from './fetch-content.ts'
import { listSources, type PinSource } from './pin-sources.ts'
import { namePinned, type PinRequest, pinFrom, pinFromSources } from './pins.ts'
import { endTry, finishPin, keepPin, type PinRow, pinOwnerLifetimeMs } from './store.ts'

/** Delays after failed attempts, in ms. The attempt after the last delay is final. */
const retryPausesMs = [5_000, 30_000, 120_000]
/** Maximum time that a request waits for content that is stored here, in ms. The worker continues after that. */
const storedHereMs = 5_000
/** Maximum length of `status_details`. */
const maxDetailsCharacters = 1000

/**
 * Stores the content of a pin, as its owner, and records the result. Resolves even on failure, which the pin then records.
 * @param pin the row from `takePin`
 * @param signal aborts the attempt, which then does not count
 */
export async function runPin(context: Context, pin: PinRow, signal: AbortSignal): Promise<void> {
  const sources = listSources(context.config, readTexts(pin.origins))
  const stop = AbortSignal.any([signal, AbortSignal.timeout(transferTimeoutMs)])
  try {
    await whileOwned(context, pin, () => pinFromSources(context, toRequest(context, pin), sources, stop))
  } catch (error) {
    const end = signal.aborted
      ? { status: 'queued' as const, details: pin.details }
      : judge(context, pin, error, sources)
    await attemptCleanup(context, 'note the try of a pin', () => endTry(context, pin, end))
  }
}

/**
 * Stores the content of a pin if all its blocks are stored here. Otherwise leaves the pin to the worker, which tries again and
 * records the error.
 * @param pin a row that has an owner
 */
export async function runStoredPin(context: Context, pin: PinRow, signal: AbortSignal): Promise<void> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(storedHereMs)])
  try {
    await whileOwned(context, pin, () => pinFrom(context, toRequest(context, pin), undefined, stop))
  } catch (error) {
    context.log.debug({ err: error, pin: pin.id }, 'pin is left to the worker')
    await attemptCleanup(context, 'leave a pin to the worker', () =>
      endTry(context, pin, { status: 'queued', details: null }),
    )
  }
}

async function whileOwned(context: Context, { id, owner }: PinRow, work: () => Promise<unknown>): Promise<void> {
  const beat = setInterval(() => {
    keepPin(context, id, owner ?? '').catch((error: unknown) =>
      context.failures.failed('keep pin', error, 'failed to renew the lease of a pin', { pin: id }),
    )
  }, pinOwnerLifetimeMs / 4)
  beat.unref()
  try {
    await work()
  } finally {
    clearInterval(beat)
  }
}

function toRequest(context: Context, pin: PinRow): PinRequest {
  const cid = requireCid(pin.cid)
  return {
    address: pin.address,
    cid,
    name: namePinned(cid, pin.name ?? undefined),
    record: (trx, [uploadId]) => finishPin(context, trx, pin, uploadId),
    deletes: pin.replaced_upload_id === null ? [] : [pin.replaced_upload_id],
  }
}

/** Returns the new state of a pin after a failed attempt. */
function judge(
  { clock }: Context,
  { tries }: PinRow,
  thrown: unknown,
  sources: readonly PinSource[],
): Parameters<typeof endTry>[2] {
  const error = CairnError.from(thrown)
  const isWithoutSource = sources.length === 0 && error.code === 'BLOCK_NOT_FOUND'
  const why = isWithoutSource ? eventReason('PIN_WITHOUT_SOURCE') : blameSources(error, sources)
  const details = `${error.code}: ${isWithoutSource ? why?.reason : error.message}.`.slice(0, maxDetailsCharacters)
  const now = clock.now()
  // Not an attempt: the worker skips the pin until the account is unblocked.
  if (error.code === 'ACCOUNT_BLOCKED') return { status: 'queued', details, tries, next_at: now }
  const pauseMs = retryPausesMs[tries]
  const mayPass = !isWithoutSource && !isShortage(error) && (error.retry || error.code === 'BLOCK_NOT_FOUND')
  return mayPass && pauseMs !== undefined
    ? { status: 'queued', details, tries: tries + 1, next_at: now + pauseMs }
    : { status: 'failed', details, tries: tries + 1, next_at: now, why: why?.reasonFacts ?? { code: error.code } }
}

/** Returns which source failed, for other languages than that of its error; undefined if the error has another cause. */
function blameSources({ code }: CairnError, [first, ...others]: readonly PinSource[]): Reason | undefined {
  const isOfSource = code === 'BLOCK_NOT_FOUND' || code === 'UPSTREAM_FAILED'
  if (!isOfSource || first === undefined) return undefined
  if (others.length > 0) return eventReason('PIN_SOURCES_FAILED', { sources: others.length + 1 })
  return eventReason(code === 'BLOCK_NOT_FOUND' ? 'PIN_SOURCE_EMPTY' : 'PIN_SOURCE_FAILED', { host: hostOf(first) })
}

/** Parses a JSON array of strings that this service wrote. */
export function readTexts(json: string): string[] {
  const list: unknown = JSON.parse(json)
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}
