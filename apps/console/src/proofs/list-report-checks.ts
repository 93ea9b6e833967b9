import type { Check, StorageReport } from '@cairn/sdk'
import { words } from '../words/words.ts'

/** One line of a report: what was checked, and what came of it. */
export type ReportLine = { id: string; label: string; check: Check }

/** Every check of a report in the order of the way: block, piece, aggregate, providers, content. */
export function listReportChecks({ pieces, content }: StorageReport): ReportLine[] {
  return [
    ...pieces.flatMap(({ piece, block, inclusion, providers }) => [
      { id: `${piece}-block`, label: words.proofs.checkBlock, check: block },
      { id: `${piece}-inclusion`, label: words.proofs.checkInclusion, check: inclusion },
      ...providers.flatMap(({ dealId, name, asked, recorded }) => [
        { id: `${piece}-${dealId}-asked`, label: words.proofs.checkAsked(name), check: asked },
        { id: `${piece}-${dealId}-recorded`, label: words.proofs.checkRecorded(name), check: recorded },
      ]),
    ]),
    { id: 'content', label: words.proofs.checkContent, check: content },
  ]
}
