import { forEachOf } from '@cairn/protocol'
import type { CairnError, Client } from '@cairn/sdk'
import { endingCodes } from '../uploads/ending-codes.ts'
import { createUploadOrder, type Displaced, type Outcome } from '../uploads/upload-order.ts'
import { describeImportError } from './import-error.ts'
import type { ImportItem, ImportSource } from './import-source.ts'
import type { Journal } from './journal.ts'

/** What happened to an item. */
export type ItemReport = {
  status: 'uploaded' | 'present' | 'done before' | 'missing' | 'listed'
  id: string
  cid: string | undefined
  name: string | undefined
  /** Bytes sent; in a dry run, the size. */
  bytes: number | undefined
  error?: { code: string; message: string }
}

/** Result of an import. */
export type ImportSummary = {
  items: number
  uploaded: number
  /** Already in the account, or finished by an earlier run. */
  present: number
  /** Bytes sent; in a dry run, the known sizes of what would be transferred. */
  bytes: number
  /** Items of a dry run whose size is unknown. */
  unknownSizes: number
  missing: number
  displaced: Displaced[]
}

export type RunOptions = {
  journal: Journal | undefined
  isDryRun: boolean
  maxParallel: number
  signal: AbortSignal
  onItem(report: ItemReport): void
  /** Called with all bytes received so far. */
  onBytes(bytes: number): void
}

/**
 * Imports the items of a source into the account of the client. Items with the same name or CID keep the order of the source.
 * Continues after an item that is not available. Skips items in the journal, and adds an item to it once the service has it.
 * @throws CairnError when no further item can succeed, or the signal aborts
 */
export async function runImport(client: Client, source: ImportSource, options: RunOptions): Promise<ImportSummary> {
  const { journal, isDryRun, maxParallel, signal, onItem, onBytes } = options
  const summary: ImportSummary = {
    ...{ items: 0, uploaded: 0, present: 0, bytes: 0, unknownSizes: 0, missing: 0 },
    displaced: [],
  }
  const order = createUploadOrder()
  const seen = new Set<string>()
  let receivedBytes = 0

  const report = (item: ImportItem, status: ItemReport['status'], bytes?: number, error?: CairnError): void => {
    const { id, cid, name } = item
    const why = error === undefined ? {} : { error: { code: error.code, message: error.message } }
    onItem({ status, id, cid, name, bytes, ...why })
  }

  const measureItem = async (item: ImportItem): Promise<void> => {
    if (item.error !== undefined) throw item.error
    const bytes = await source.measure(item, signal)
    if (bytes === undefined) summary.unknownSizes++
    summary.bytes += bytes ?? 0
    report(item, 'listed', bytes)
  }

  const transferItem = async (item: ImportItem): Promise<Outcome> => {
    if (item.error !== undefined) throw item.error
    const { cid, bytes, isPresent, problem } = await source.transfer(item, {
      client,
      signal,
      onBytes(added) {
        receivedBytes += added
        onBytes(receivedBytes)
      },
    })
    await journal?.add(item.id, cid)
    await source.release?.(item)
    if (isPresent) summary.present++
    else summary.uploaded++
    summary.bytes += bytes
    if (problem === undefined) report({ ...item, cid }, isPresent ? 'present' : 'uploaded', bytes)
    else {
      summary.missing++
      report({ ...item, cid }, 'missing', bytes, problem)
    }
    return isPresent ? 'neither' : 'stored'
  }

  const importItem = async (item: ImportItem): Promise<Outcome> => {
    signal.throwIfAborted()
    if (journal?.has(item.id) === true) {
      summary.present++
      report(item, 'done before')
      return 'done before'
    }
    try {
      return await transferItem(item)
    } catch (cause) {
      noteMissing(item, cause)
      return 'neither'
    }
  }

  const noteMissing = (item: ImportItem, cause: unknown): void => {
    const error = describeImportError(cause)
    if (signal.aborted || error.code === 'ABORTED' || endingCodes.has(error.code)) throw error
    summary.missing++
    report(item, 'missing', undefined, error)
  }

  await forEachOf(source.items(signal), maxParallel, async (item) => {
    signal.throwIfAborted()
    if (seen.has(item.id)) return
    seen.add(item.id)
    summary.items++
    if (isDryRun) await measureItem(item).catch((cause: unknown) => noteMissing(item, cause))
    else await order.run(item, () => importItem(item))
  })
  summary.displaced = order.displaced()
  signal.throwIfAborted()
  return summary
}
