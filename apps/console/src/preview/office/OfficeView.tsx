import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { messages } from '../../messages/messages.ts'
import { Segments } from '../../ui/forms/Segments.tsx'
import { Skeleton } from '../../ui/states/Skeleton.tsx'
import { NoPreview } from '../ContentView.tsx'
import { RowsView } from '../text/RowsView.tsx'
import { DocumentView } from './DocumentView.tsx'
import type { Workbook } from './document.ts'
import { readOffice } from './read-office.ts'
import { columnName } from './read-xlsx.ts'

/** An office file or a book: its text, tables and pictures, read in this page. Macros, scripts and remote content stay out. */
export function OfficeView({ file, name }: { file: Blob; name: string }) {
  const id = useId()
  const { data, error } = useQuery({
    queryKey: ['office', id, file.size],
    queryFn: async () => (await readOffice(file, messages.preview.slide)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    // It may be large, so it is not cached after use.
    gcTime: 0,
    retry: false,
    structuralSharing: false,
  })
  if (error !== null || data === null) return <NoPreview hint={messages.preview.broken} />
  if (data === undefined) return <Skeleton className="h-96 w-full" />
  return (
    <div className="flex flex-col gap-2">
      {data.kind === 'sheets' ? (
        <SheetsView workbook={data} name={name} />
      ) : (
        <section
          aria-label={name}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
          tabIndex={0}
          className="max-h-(--preview-height,60dvh) overflow-auto rounded-lg border border-line bg-surface p-4"
        >
          <DocumentView blocks={data.blocks} />
        </section>
      )}
      {data.kind === 'document' && data.isCut ? (
        <p className="text-ink-soft text-sm">{messages.preview.cut}</p>
      ) : undefined}
      <p className="text-ink-soft text-sm">{messages.preview.officeNote}</p>
    </div>
  )
}

function SheetsView({ workbook: { sheets, isCut }, name }: { workbook: Workbook; name: string }) {
  const [at, setAt] = useState(0)
  const sheet = sheets[at]
  if (sheet === undefined) return <NoPreview hint={messages.preview.broken} />
  return (
    <>
      {sheets.length > 1 ? (
        <Segments
          label={messages.preview.sheets}
          value={String(at)}
          options={sheets.map((one, place) => ({ value: String(place), label: one.name }))}
          onChange={(place) => setAt(Number(place))}
        />
      ) : undefined}
      <RowsView key={at} rows={withColumns(sheet.rows)} name={name} isCut={sheet.isCut} />
      {isCut ? <p className="text-ink-soft text-sm">{messages.preview.sheetsCut(sheets.length)}</p> : undefined}
    </>
  )
}

/** Labels the columns of a sheet with letters, because no row of it is known to be a header. */
function withColumns(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 1)
  return [Array.from({ length: count }, (_, at) => columnName(at)), ...rows]
}
