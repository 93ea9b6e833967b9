import { useId } from 'react'
import { formatBytes, formatDay, formatShortDay } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { ScrollBox } from '../ui/ScrollBox.tsx'
import { pickTicks, type UsagePoint } from './usage-history.ts'

const width = 640
const height = 140
/** Margin for the width of the lines. */
const edge = 3
/** A limit beyond this multiple of the usage is not drawn. */
const maxScale = 12

/** Number of days that the axis names. */
const namedDays = 4

/** Usage and limit by day: a small chart with axes, and the same figures as a table. */
export function UsageChart({ points, note }: { points: readonly UsagePoint[]; note?: string | undefined }) {
  const id = useId()
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 2) return undefined
  const spanMs = Math.max(1, last.at - first.at)
  const maxUsed = Math.max(1, ...points.map(({ usedBytes }) => usedBytes))
  const maxLimit = Math.max(1, ...points.map(({ limitBytes }) => limitBytes))
  // A limit far above would flatten the usage line, so it is stated as text instead.
  const isLimitDrawn = maxLimit <= maxUsed * maxScale
  const ticks = pickTicks(isLimitDrawn ? Math.max(maxUsed, maxLimit) : maxUsed)
  const scaleMax = ticks.at(-1) ?? 1
  const days = pickDays(points)
  const x = (at: number) => ((at - first.at) / spanMs) * width
  const y = (bytes: number) => height - edge - (bytes / scaleMax) * (height - 2 * edge)
  const line = (read: (point: UsagePoint) => number) =>
    points.map((point, index) => (index === 0 ? `M0,${y(read(point))}` : `H${x(point.at)}V${y(read(point))}`)).join('')
  const used = line(({ usedBytes }) => usedBytes)
  return (
    <figure aria-labelledby={id} className="border-line border-t px-5 pt-4 pb-5">
      <figcaption className="mb-3">
        <h2 id={id} className="font-medium text-sm">
          {messages.billing.overTime}
        </h2>
        <p className="text-ink-soft text-sm">
          {messages.billing.overTimeHint} {note}
        </p>
      </figcaption>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <div aria-hidden="true" className="relative h-32 w-16 text-right text-ink-soft text-xs tabular">
          {ticks.map((bytes) => (
            <span
              key={bytes}
              className="absolute right-0 -translate-y-1/2 whitespace-nowrap"
              style={{ top: `${(y(bytes) / height) * 100}%` }}
            >
              {formatBytes(bytes)}
            </span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${width} ${height}`}
          preserveAspectRatio="none"
          className="h-32 w-full"
          role="img"
          aria-label={messages.billing.chartLabel(formatBytes(last.usedBytes), formatBytes(last.limitBytes))}
        >
          {ticks.map((bytes) => (
            <path
              key={bytes}
              d={`M0,${y(bytes)}H${width}`}
              stroke="var(--line)"
              strokeWidth="1"
              vectorEffect="non-scaling-stroke"
            />
          ))}
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
        </svg>
        <div aria-hidden="true" className="col-start-2 mt-1 flex justify-between text-ink-soft text-xs">
          {days.map(({ at }) => (
            <span key={at}>{formatShortDay(at)}</span>
          ))}
        </div>
      </div>
      <ul className="mt-2 flex gap-5 text-ink-soft text-sm">
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
      <details className="mt-3 text-sm">
        <summary className="w-fit cursor-pointer text-ink-soft hover:text-ink">{messages.billing.showTable}</summary>
        <ScrollBox label={messages.billing.overTime} className="mt-2 max-h-64 overflow-auto">
          <table className="w-full text-left tabular">
            <thead className="text-ink-soft">
              <tr>
                <th className="py-1 pr-4 font-medium">{messages.billing.tableWhen}</th>
                <th className="py-1 pr-4 font-medium">{messages.billing.used}</th>
                <th className="py-1 font-medium">{messages.billing.limit}</th>
              </tr>
            </thead>
            <tbody>
              {points.toReversed().map(({ at, usedBytes, limitBytes }) => (
                <tr key={at} className="border-line border-t">
                  <td className="py-1 pr-4">{formatDay(at)}</td>
                  <td className="py-1 pr-4">{formatBytes(usedBytes)}</td>
                  <td className="py-1">{formatBytes(limitBytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      </details>
    </figure>
  )
}

/** Returns days at equal distances, with the first and the last. */
function pickDays(points: readonly UsagePoint[]): UsagePoint[] {
  const count = Math.min(namedDays, points.length)
  return Array.from({ length: count }, (_none, at) => Math.round((at * (points.length - 1)) / (count - 1))).flatMap(
    (at) => points[at] ?? [],
  )
}
