import type { Context } from '../context.ts'
import { guardWriter } from '../moderation/moderation.ts'
import type { PackOptions, PackWriter } from '../packs/packs.ts'
import { attemptCleanup } from './attempt-cleanup.ts'
import { openQuotaMeter, type QuotaMeter } from './quota-meter.ts'

/** Options of the pack, and the meter if another component reserves and releases the quota. */
type WithPackOptions = PackOptions & { heldMeter?: QuotaMeter | undefined }

/** Runs `work` with a pack to write and the meter of its upload. If it fails, nothing of either remains. */
export async function withPack<T>(
  context: Context,
  address: string,
  { heldMeter, ...options }: WithPackOptions,
  work: (writer: PackWriter, meter: QuotaMeter) => Promise<T>,
): Promise<T> {
  const meter = heldMeter ?? openQuotaMeter(context, address)
  const writer = guardWriter(context.packs.begin(options), context.denylist)
  try {
    return await work(writer, meter)
  } catch (error) {
    await attemptCleanup(context, 'abort the pack', () => writer.abort())
    if (heldMeter === undefined) await attemptCleanup(context, 'release the reservation', () => meter.release())
    throw error
  }
}
