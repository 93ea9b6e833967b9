import { type Sheet, sheetLimits, type Workbook } from './document.ts'
import { rowsOf } from './read-odt.ts'
import { attribute, childrenOf } from './xml.ts'

/**
 * Reads the values of an OpenDocument workbook, as its program last showed them.
 * @param spreadsheet the element with its sheets
 */
export function readOds(spreadsheet: Element): Workbook {
  const tables = childrenOf(spreadsheet, 'table')
  return { sheets: tables.slice(0, sheetLimits.sheets).map(readSheet), isCut: tables.length > sheetLimits.sheets }
}

function readSheet(table: Element): Sheet {
  const rows: string[][] = []
  /** Empty rows so far. They count only if another row follows: sheets end with up to a million of them. */
  let emptyCount = 0
  let isCut = false
  for (const element of rowsOf(table)) {
    const row = readRow(element)
    const count = repeatOf(element, 'number-rows-repeated')
    if (row.length === 0) emptyCount += count
    else {
      const free = sheetLimits.rows - rows.length
      isCut ||= emptyCount + count > free
      for (let at = 0; at < Math.min(emptyCount, free); at++) rows.push([])
      for (let at = 0; at < Math.min(count, free - emptyCount); at++) rows.push(row)
      emptyCount = 0
    }
    if (isCut) break
  }
  return { name: attribute(table, 'name') ?? '', rows, isCut }
}

function readRow(element: Element): string[] {
  const row: string[] = []
  let emptyCount = 0
  for (const cell of childrenOf(element, 'table-cell', 'covered-table-cell')) {
    const text = childrenOf(cell, 'p')
      .map(({ textContent }) => textContent)
      .join('\n')
    const count = repeatOf(cell, 'number-columns-repeated')
    if (text === '') emptyCount += count
    else {
      const free = sheetLimits.columns - row.length
      for (let at = 0; at < Math.min(emptyCount, free); at++) row.push('')
      for (let at = 0; at < Math.min(count, free - emptyCount); at++) row.push(text)
      emptyCount = 0
    }
    if (row.length >= sheetLimits.columns) break
  }
  return row
}

function repeatOf(element: Element, name: string): number {
  const count = Number(attribute(element, name) ?? 1)
  return Number.isSafeInteger(count) && count > 0 ? count : 1
}
