import { type ReactNode, useId } from 'react'
import { formatBytes, formatDay, formatShortDay } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { ScrollBox } from '../ui/ScrollBox.tsx'
import { pickTicks } from './usage-history.ts'

/** Size of the drawing, in its own units. */
const size = { width: 640, height: 140 }
/** Margin for the width of the lines. */
const edge = 3
/** Number of days that the axis names. */
const namedDays = 4

/** Where values are in the drawing: `height` is where they begin. */
export type ChartScale = { width: number; height: number; y: (bytes: number) => number }

/** Bytes by day: a drawing with axes, and the same figures as a table. */
export function DayChart({
  title,
  hint,
  label,
  days,
  maxBytes,
  columns,
  draw,
  children,
}: {
  title: string
  hint: ReactNode
  /** Description of the drawing for screen readers. */
  label: string
  /** Times within each day, oldest first. */
  days: readonly number[]
  maxBytes: number
  /** The table: the heading of each column, and its bytes by day. */
  columns: readonly { title: string; bytes: readonly number[] }[]
  draw: (scale: ChartScale) => ReactNode
  /** The legend. */
  children?: ReactNode
}) {
  const id = useId()
  const { width, height } = size
  const ticks = pickTicks(maxBytes)
  const scaleMax = ticks.at(-1) ?? 1
  const y = (bytes: number) => height - edge - (bytes / scaleMax) * (height - 2 * edge)
  return (
    <figure aria-labelledby={id} className="border-line border-t px-5 pt-4 pb-5">
      <figcaption className="mb-3">
        <h2 id={id} className="font-medium text-sm">
          {title}
        </h2>
        <p className="text-ink-soft text-sm">{hint}</p>
      </figcaption>
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <div aria-hidden="true" className="relative h-32 w-16 text-ink-soft text-xs tabular">
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
          aria-label={label}
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
          {draw({ width, height: y(0), y })}
        </svg>
        <div aria-hidden="true" className="col-start-2 mt-1 flex justify-between text-ink-soft text-xs">
          {pickDays(days).map((at) => (
            <span key={at}>{formatShortDay(at)}</span>
          ))}
        </div>
      </div>
      {children}
      <details className="mt-3 text-sm">
        <summary className="w-fit cursor-pointer pointer-coarse:py-3 text-ink-soft hover:text-ink">
          {messages.billing.showTable}
        </summary>
        <ScrollBox label={title} className="mt-2 max-h-64 overflow-auto">
          <table className="w-full text-left tabular">
            <thead className="text-ink-soft">
              <tr>
                <th className="py-1 pr-4 font-medium">{messages.billing.tableWhen}</th>
                {columns.map((column) => (
                  <th key={column.title} className="py-1 pr-4 font-medium">
                    {column.title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map((at, fromEnd) => (
                <tr key={at} className="border-line border-t">
                  <td className="py-1 pr-4">{formatDay(at)}</td>
                  {columns.map((column) => (
                    <td key={column.title} className="py-1 pr-4">
                      {formatBytes(column.bytes[days.length - 1 - fromEnd] ?? 0)}
                    </td>
                  ))}
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
function pickDays(days: readonly number[]): number[] {
  const count = Math.min(namedDays, days.length)
  return Array.from({ length: count }, (_none, at) => Math.round((at * (days.length - 1)) / (count - 1))).flatMap(
    (at) => days[at] ?? [],
  )
}
