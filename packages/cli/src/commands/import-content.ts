import { rmdir } from 'node:fs/promises'
import { formatBytes } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import { type CommandContext, flag, text } from '../command.ts'
import type { ImportSource } from '../import/import-source.ts'
import { openJournal } from '../import/journal.ts'
import { type ItemReport, runImport } from '../import/run-import.ts'
import { reportBytes } from '../terminal/output.ts'
import { countOf } from '../text/count-of.ts'
import { describeDisplaced } from '../uploads/upload-order.ts'

/** A source, the name of its files on this machine, and how it is opened. */
export type NamedSource = {
  /** Beginning of the name of the state file. */
  label: string
  open(paths: { stagingFolder: string }): Promise<ImportSource>
}

const defaultParallel = 4
const maxParallel = 32

/** Imports content that is not an exported account. */
export async function importContent(context: CommandContext, { label, open }: NamedSource): Promise<void> {
  const { session, output, state, values, signal } = context
  const isDryRun = flag(values, 'dry-run')
  const parallel = readParallel(text(values, 'parallel'))
  const statePath = text(values, 'state') ?? `${label}.import.jsonl`
  const stagingFolder = `${statePath}.blocks`
  const source = await open({ stagingFolder })
  const client = isDryRun ? await session.optionalClient() : await session.client()
  const address = (await state.readAddress()) ?? client.network.wallet?.address.toLowerCase() ?? ''
  await using journal = isDryRun
    ? undefined
    : await openJournal(statePath, { source: source.id, account: `${client.network.api} ${address}`.trim() })
  if (journal !== undefined && journal.size > 0) output.note(`Resuming after ${countOf(journal.size, 'item')}.`)

  const problems: string[] = []
  const onItem = (report: ItemReport): void => {
    if (output.isJson) output.result(report, '')
    else if (isDryRun && report.status === 'listed') {
      const size = report.bytes === undefined ? 'size unknown' : formatBytes(report.bytes)
      output.result(
        report,
        `${subjectOf(report, '–')}  ${size}  ${report.name ?? ''}`.trimEnd(),
        report.cid ?? report.name,
      )
    }
    if (report.error === undefined || output.isJson) return
    const { code, message } = report.error
    problems.push(`missing: ${`${subjectOf(report, '')}${named(report)}`.trimStart()}: ${message} (${code})`)
  }
  const options = { journal, isDryRun, maxParallel: parallel, signal, onItem }
  const summary = await output.withProgress(label, (progress) =>
    runImport(client, source, { ...options, onBytes: reportBytes(progress, 'receive') }),
  )
  // Only an incomplete import keeps blocks.
  await rmdir(stagingFolder).catch(() => undefined)

  const { items, uploaded, present, bytes, unknownSizes, missing, displaced } = summary
  const total = countOf(items, 'item')
  const counts = isDryRun
    ? `${total}  ${present} done before  ${formatBytes(bytes)}  ${unknownSizes} of unknown size  ${missing} missing`
    : `${total}  ${uploaded} uploaded  ${formatBytes(bytes)}  ${present} already present  ${missing} missing`
  output.result(summary, [...problems, ...displaced.map(describeDisplaced), counts], counts)
  if (missing > 0)
    throw new CairnError('IMPORT_INCOMPLETE', { message: 'Some items were not imported', details: { missing } })
}

/** The CID of an item. Without one, the placeholder that stands next to a name, or the id that its source uses. */
function subjectOf({ cid, name, id }: ItemReport, besideName: string): string {
  return cid ?? (name === undefined ? id : besideName)
}

function named({ name, cid }: ItemReport): string {
  return name === undefined || name === cid ? '' : ` ${JSON.stringify(name)}`
}

function readParallel(value: string | undefined): number {
  if (value === undefined) return defaultParallel
  const count = Number(value)
  if (Number.isInteger(count) && count >= 1 && count <= maxParallel) return count
  throw new CairnError('USAGE', { message: `--parallel must be from 1 to ${maxParallel}` })
}
