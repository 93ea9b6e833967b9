import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { useRem } from '../../browser/use-rem.ts'
import { formatCount } from '../../messages/format.ts'
import { messages } from '../../messages/messages.ts'
import { useRemeasure } from '../../ui/use-remeasure.ts'
import { columnWidths } from './column-widths.ts'

/** In rem. */
const rowHeight = 2.125

/** Rows as a table, the first one as its head. Only visible rows are in the page; assistive technology learns the total count. */
export function RowsView({
  rows,
  name,
  isCut,
}: {
  rows: readonly (readonly string[])[]
  name: string
  isCut: boolean
}) {
  const box = useRef<HTMLElement>(null)
  const { widths: template, isCut: isNarrow } = useMemo(() => columnWidths(rows), [rows])
  const [head = [], ...body] = rows
  const columns = template.length
  const height = useRem()(rowHeight)
  const virtual = useVirtualizer({
    count: body.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 8,
  })
  useRemeasure(virtual, height)
  const style = { gridTemplateColumns: template.join(' '), height }
  return (
    <>
      <p className="text-ink-soft text-sm">{messages.preview.tableSize(body.length, columns)}</p>
      <section
        ref={box}
        aria-label={name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        className="max-h-(--preview-height,60dvh) overflow-auto rounded-lg border border-line bg-surface"
      >
        {/** biome-ignore lint/a11y/useSemanticElements: rows of a virtual table are placed by their position. */}
        <div
          role="table"
          aria-label={messages.preview.tableOf(name)}
          aria-rowcount={rows.length}
          aria-colcount={columns}
          className="w-max min-w-full text-sm tabular"
        >
          {/** biome-ignore lint/a11y/useSemanticElements: see above. */}
          <div role="rowgroup" className="sticky top-0 z-1 bg-sunken">
            {/** biome-ignore lint/a11y/useSemanticElements: see above. */}
            {/** biome-ignore lint/a11y/useFocusableInteractive: a row of a table is not interactive. */}
            <div role="row" aria-rowindex={1} className="grid border-line border-b" style={style}>
              {template.map((_, at) => (
                // biome-ignore lint/a11y/useSemanticElements: see above.
                // biome-ignore lint/a11y/useFocusableInteractive: see above.
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is its number.
                <div key={at} role="columnheader" className={`${cell} font-semibold`} title={head[at] ?? ''}>
                  {head[at] ?? ''}
                </div>
              ))}
            </div>
          </div>
          {/** biome-ignore lint/a11y/useSemanticElements: see above. */}
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, key, start }) => (
              // biome-ignore lint/a11y/useSemanticElements: see above.
              // biome-ignore lint/a11y/useFocusableInteractive: see above.
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                className="absolute inset-x-0 top-0 grid border-line border-b"
                style={{ ...style, transform: `translateY(${start}px)` }}
              >
                {template.map((_, at) => (
                  // biome-ignore lint/a11y/useSemanticElements: see above.
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is its number.
                  <div key={at} role="cell" className={cell} title={body[index]?.[at] ?? ''}>
                    <bdi>{body[index]?.[at] ?? ''}</bdi>
                  </div>
                ))}
              </div>
            ))}
          </div>
        </div>
      </section>
      {isCut ? (
        <p className="text-ink-soft text-sm">{messages.preview.tableCut(formatCount(body.length))}</p>
      ) : undefined}
      {isNarrow ? <p className="text-ink-soft text-sm">{messages.preview.columnsCut(columns)}</p> : undefined}
    </>
  )
}

const cell = 'truncate px-3 py-1.5'
