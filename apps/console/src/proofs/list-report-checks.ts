import type { Check, StorageReport } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'

/** One line of a report: a check and its outcome. */
export type ReportLine = { id: string; label: string; check: Check }

/** Lists every check of a report in order: block, piece, aggregate, providers, content. */
export function listReportChecks({ pieces, content }: StorageReport): ReportLine[] {
  return [
    ...pieces.flatMap(({ piece, block, inclusion, providers }) => [
      { id: `${piece}-block`, label: messages.proofs.checkBlock, check: block },
      { id: `${piece}-inclusion`, label: messages.proofs.checkInclusion, check: inclusion },
      ...providers.flatMap(({ dealId, name, challenged, recorded }) => [
        { id: `${piece}-${dealId}-asked`, label: messages.proofs.checkAsked(name), check: challenged },
        { id: `${piece}-${dealId}-recorded`, label: messages.proofs.checkRecorded(name), check: recorded },
      ]),
    ]),
    { id: 'content', label: messages.proofs.checkContent, check: content },
  ]
}
