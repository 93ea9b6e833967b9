import { useMemo } from 'react'
import { parseTable } from './parse-table.ts'
import { RowsView } from './RowsView.tsx'

/** Separated values as a table. */
export function TableView({
  text,
  separator,
  name,
  isCut,
}: {
  text: string
  separator: ',' | '\t'
  name: string
  isCut: boolean
}) {
  const rows = useMemo(() => parseTable(text, separator, isCut), [text, separator, isCut])
  return <RowsView rows={rows} name={name} isCut={isCut} />
}
