import { useId } from 'react'
import type { UsagePoint } from '../../payments/usage-history.ts'
import { ScrollBox } from '../../ui/ScrollBox.tsx'
import { formatBytes, formatDateTime } from '../../words/format.ts'
import { words } from '../../words/words.ts'

const width = 640
const height = 140
/** Room for the lines’ own thickness. */
const edge = 3
/** A limit of more than so many times what is used is not drawn. */
const scaleMost = 12

/** Used and limit over time: a small picture, and the same figures as a table. */
export function UsageChart({ points, note }: { points: readonly UsagePoint[]; note?: string | undefined }) {
  const id = useId()
  const first = points[0]
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length < 2) return undefined
  const spanMs = Math.max(1, last.at - first.at)
  const usedMost = Math.max(1, ...points.map(({ usedBytes }) => usedBytes))
  const limitMost = Math.max(1, ...points.map(({ limitBytes }) => limitBytes))
  // A limit far above would press what is used to a flat line: then it is told, not drawn.
  const isLimitDrawn = limitMost <= usedMost * scaleMost
  const most = isLimitDrawn ? Math.max(usedMost, limitMost) : usedMost
  const x = (at: number) => ((at - first.at) / spanMs) * width
  const y = (bytes: number) => height - edge - (bytes / most) * (height - 2 * edge)
  const line = (read: (point: UsagePoint) => number) =>
    points.map((point, index) => (index === 0 ? `M0,${y(read(point))}` : `H${x(point.at)}V${y(read(point))}`)).join('')
  const used = line(({ usedBytes }) => usedBytes)
  return (
    <figure aria-labelledby={id} className="border-line border-t px-5 pt-4 pb-5">
      <figcaption className="mb-3">
        <h2 id={id} className="font-medium text-sm">
          {words.storage.overTime}
        </h2>
        <p className="text-ink-soft text-sm">
          {words.storage.overTimeHint} {note}
        </p>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className="h-32 w-full"
        role="img"
        aria-label={words.storage.chartLabel(formatBytes(last.usedBytes), formatBytes(last.limitBytes))}
      >
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
      <div className="mt-1 flex justify-between text-ink-faint text-xs">
        <span>{formatDateTime(first.at)}</span>
        <span>{formatDateTime(last.at)}</span>
      </div>
      <ul className="mt-2 flex gap-5 text-ink-soft text-sm">
        <li className="flex items-center gap-2">
          <svg width="20" height="8" aria-hidden="true">
            <line x1="0" x2="20" y1="4" y2="4" stroke="var(--accent)" strokeWidth="3" />
          </svg>
          {words.storage.used}
        </li>
        <li className="flex items-center gap-2">
          <svg width="20" height="8" aria-hidden="true">
            <line x1="0" x2="20" y1="4" y2="4" stroke="var(--line-strong)" strokeWidth="2" strokeDasharray="5 4" />
          </svg>
          {isLimitDrawn ? words.storage.limit : words.storage.limitAbove(formatBytes(last.limitBytes))}
        </li>
      </ul>
      <details className="mt-3 text-sm">
        <summary className="w-fit cursor-pointer text-ink-soft hover:text-ink">{words.storage.showTable}</summary>
        <ScrollBox label={words.storage.overTime} className="mt-2 max-h-64 overflow-auto">
          <table className="w-full text-left tabular">
            <thead className="text-ink-soft">
              <tr>
                <th className="py-1 pr-4 font-medium">{words.storage.tableWhen}</th>
                <th className="py-1 pr-4 font-medium">{words.storage.used}</th>
                <th className="py-1 font-medium">{words.storage.limit}</th>
              </tr>
            </thead>
            <tbody>
              {points.toReversed().map(({ at, usedBytes, limitBytes }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: several changes may share one time.
                <tr key={index} className="border-line border-t">
                  <td className="py-1 pr-4">{formatDateTime(at)}</td>
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
