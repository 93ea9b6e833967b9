import { formatBytes } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { DayChart } from './DayChart.tsx'
import type { UsagePoint } from './usage-history.ts'

/** A limit beyond this multiple of the usage is not drawn. */
const maxScale = 12

/** Usage and limit by day. */
export function UsageChart({ points, note }: { points: readonly UsagePoint[]; note?: string | undefined }) {
  const last = points.at(-1)
  if (last === undefined || points.length < 2) return undefined
  const maxUsed = Math.max(1, ...points.map(({ usedBytes }) => usedBytes))
  const maxLimit = Math.max(1, ...points.map(({ limitBytes }) => limitBytes))
  // A limit far above would flatten the usage line, so it is stated as text instead.
  const isLimitDrawn = maxLimit <= maxUsed * maxScale
  return (
    <DayChart
      title={messages.billing.overTime}
      hint={
        <>
          {messages.billing.overTimeHint} {note}
        </>
      }
      label={messages.billing.chartLabel(formatBytes(last.usedBytes), formatBytes(last.limitBytes))}
      days={points.map(({ at }) => at)}
      maxBytes={isLimitDrawn ? Math.max(maxUsed, maxLimit) : maxUsed}
      columns={[
        { title: messages.billing.used, bytes: points.map(({ usedBytes }) => usedBytes) },
        { title: messages.billing.limit, bytes: points.map(({ limitBytes }) => limitBytes) },
      ]}
      draw={({ width, height, y }) => {
        // Each day has the same width, also today: what was stored today would be a mere stroke at the edge.
        const line = (read: (point: UsagePoint) => number) =>
          points
            .map((point, at) => `${at === 0 ? 'M0,' : 'V'}${y(read(point))}H${((at + 1) / points.length) * width}`)
            .join('')
        const used = line(({ usedBytes }) => usedBytes)
        return (
          <>
            <path d={`${used}V${height}H0Z`} fill="var(--accent)" opacity="0.16" />
            <path d={used} fill="none" stroke="var(--accent)" strokeWidth="2" vectorEffect="non-scaling-stroke" />
            {isLimitDrawn ? (
              <path
                d={line(({ limitBytes }) => limitBytes)}
                fill="none"
                stroke="var(--line-strong)"
                strokeWidth="1.5"
                strokeDasharray="5 4"
                vectorEffect="non-scaling-stroke"
              />
            ) : undefined}
          </>
        )
      }}
    >
      <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-ink-soft text-sm">
        <li className="flex items-center gap-2">
          <svg width="20" height="8" aria-hidden="true">
            <line x1="0" x2="20" y1="4" y2="4" stroke="var(--accent)" strokeWidth="3" />
          </svg>
          {messages.billing.used}
        </li>
        <li className="flex items-center gap-2">
          <svg width="20" height="8" aria-hidden="true">
            <line x1="0" x2="20" y1="4" y2="4" stroke="var(--line-strong)" strokeWidth="2" strokeDasharray="5 4" />
          </svg>
          {isLimitDrawn ? messages.billing.limit : messages.billing.limitAbove(formatBytes(last.limitBytes))}
        </li>
      </ul>
    </DayChart>
  )
}
