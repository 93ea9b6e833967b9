import type { Check, StorageReport } from '@cairn/sdk'
import { CircleCheck, CircleDashed, CircleX, Hourglass, type IconComponent, OctagonX, ShieldCheck } from '#icons'
import { describeReason } from '../messages/describe-reason.ts'
import { formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { listReportChecks } from './list-report-checks.ts'

const styles: Record<Check['outcome'], { icon: IconComponent; className: string }> = {
  proven: { icon: CircleCheck, className: 'text-good' },
  failed: { icon: CircleX, className: 'text-bad' },
  skipped: { icon: CircleDashed, className: 'text-ink-faint' },
}

/** The result of a verification: the verdict first, then every check, then the limits of the method. */
export function VerifyReport({ report }: { report: StorageReport }) {
  const lines = listReportChecks(report)
  const isFailed = lines.some(({ check }) => check.outcome === 'failed')
  const copies = report.pieces.length === 0 ? 0 : Math.min(...report.pieces.map((piece) => piece.copies))
  const [tone, Icon, title, hint] = isFailed
    ? (['bg-bad-soft text-bad border-bad', OctagonX, messages.proofs.failedTitle, messages.proofs.failedHint] as const)
    : report.isProven
      ? ([
          'bg-good-soft text-good border-good',
          ShieldCheck,
          messages.proofs.provenTitle,
          messages.proofs.provenHint(copies),
        ] as const)
      : ([
          'bg-warn-soft text-warn border-warn',
          Hourglass,
          messages.proofs.openTitle,
          messages.proofs.openHint,
        ] as const)
  return (
    <div className="mt-5 flex flex-col gap-4">
      <div role={isFailed ? 'alert' : 'status'} className={`flex gap-4 rounded-lg border p-4 ${tone}`}>
        <Icon aria-hidden="true" size={isFailed ? 36 : 28} className="shrink-0" />
        <div>
          <h3 className="font-semibold text-lg">{title}</h3>
          <p className="text-sm">{hint}</p>
          <p className="mt-1 text-xs">{messages.proofs.checkedAt(formatDateTime(report.checkedAt))}</p>
        </div>
      </div>
      <div>
        <h3 className="mb-1 font-medium text-sm">{messages.proofs.checks}</h3>
        <ul className="divide-y divide-line">
          {lines.map(({ id, label, check: { outcome, message, reasonFacts } }) => {
            const { icon: Mark, className } = styles[outcome]
            return (
              <li key={id} className="flex gap-3 py-2 text-sm">
                <Mark aria-hidden="true" size={18} className={`mt-0.5 shrink-0 ${className}`} />
                <div className="min-w-0">
                  <p className="font-medium">
                    {label} <span className={`font-normal ${className}`}>{messages.proofs.checkOutcomes[outcome]}</span>
                  </p>
                  <p className="text-ink-soft">{describeReason(message, reasonFacts)}</p>
                </div>
              </li>
            )
          })}
        </ul>
      </div>
      <div>
        <h3 className="mb-1 font-medium text-sm">{messages.proofs.unproven}</h3>
        <ul className="list-disc pl-5 text-ink-soft text-sm">
          {report.unproven.map(({ reason, reasonFacts }) => (
            <li key={reason}>{describeReason(reason, reasonFacts)}</li>
          ))}
        </ul>
      </div>
    </div>
  )
}
