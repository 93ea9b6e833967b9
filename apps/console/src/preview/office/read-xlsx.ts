import type { Sheet } from './document.ts'
import type { Zip } from './open-zip.ts'
import { readPart, readRelations } from './package-parts.ts'
import { attribute, below, childOf, childrenOf } from './xml.ts'

const workbookPath = 'xl/workbook.xml'
const maxSheets = 100
const maxRows = 50_000
const maxColumns = 200
/** Formats of dates and times that every workbook has. */
const dateFormats: ReadonlySet<number> = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])
const dayMs = 86_400_000

type Context = { strings: readonly string[]; dateStyles: ReadonlySet<number>; dayZero: number }

/**
 * Reads the values of a workbook: texts, numbers, dates, and the last results of formulas, which are not computed.
 * @throws RangeError
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
export async function readXlsx(zip: Zip): Promise<Sheet[]> {
  const workbook = await readPart(zip, workbookPath)
  const relations = await readRelations(zip, workbookPath)
  const isFrom1904 = ['1', 'true'].includes(attribute(childOf(workbook, 'workbookPr'), 'date1904') ?? '0')
  const context: Context = {
    strings: childrenOf(await readPart(zip, 'xl/sharedStrings.xml'), 'si').map(textOf),
    dateStyles: readDateStyles(await readPart(zip, 'xl/styles.xml')),
    // Day 60 of the first system is a day that did not exist.
    dayZero: isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30),
  }
  const sheets: Sheet[] = []
  for (const sheet of childrenOf(childOf(workbook, 'sheets'), 'sheet').slice(0, maxSheets)) {
    const relation = relations.get(attribute(sheet, 'id') ?? '')
    const root = relation === undefined || relation.isExternal ? undefined : await readPart(zip, relation.target)
    const all = childrenOf(childOf(root, 'sheetData'), 'row')
    const rows = readRows(all.slice(0, maxRows), context)
    sheets.push({ name: attribute(sheet, 'name') ?? '', rows, isCut: all.length > maxRows })
  }
  return sheets
}

/** The text of a string, without the reading aids of some scripts. */
function textOf(element: Element): string {
  return below(element, 't')
    .filter(({ parentElement }) => parentElement?.localName !== 'rPh')
    .map(({ textContent }) => textContent)
    .join('')
}

function readDateStyles(styles: Element | undefined): Set<number> {
  const dates = new Set(dateFormats)
  for (const format of childrenOf(childOf(styles, 'numFmts'), 'numFmt')) {
    // Colours, literal texts and escaped letters are no parts of a date.
    const code = (attribute(format, 'formatCode') ?? '').replaceAll(/\[[^\]]*\]|"[^"]*"|\\./g, '')
    if (/[dmyhs]/i.test(code)) dates.add(Number(attribute(format, 'numFmtId')))
  }
  const found = new Set<number>()
  for (const [at, style] of childrenOf(childOf(styles, 'cellXfs'), 'xf').entries())
    if (dates.has(Number(attribute(style, 'numFmtId')))) found.add(at)
  return found
}

/** Empty rows and cells are not in the file, but stand between the others. */
function readRows(elements: readonly Element[], context: Context): string[][] {
  const rows: string[][] = []
  for (const element of elements) {
    const number = Number(attribute(element, 'r') ?? rows.length + 1)
    while (rows.length < number - 1 && rows.length < maxRows) rows.push([])
    const row: string[] = []
    for (const cell of childrenOf(element, 'c')) {
      const column = columnOf(attribute(cell, 'r')) ?? row.length
      if (column >= maxColumns) break
      while (row.length < column) row.push('')
      row[column] = readCell(cell, context)
    }
    rows.push(row)
  }
  return rows
}

/** Returns the number of a column, from 0, of a reference such as `AB12`. */
export function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** Returns the letters of a column, from 0. */
export function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26))
  return column < 26 ? letter : `${columnName(Math.floor(column / 26) - 1)}${letter}`
}

function readCell(cell: Element, { strings, dateStyles, dayZero }: Context): string {
  const value = childOf(cell, 'v')?.textContent ?? ''
  switch (attribute(cell, 't')) {
    case 's':
      return strings[Number(value)] ?? ''
    case 'inlineStr':
      return textOf(cell)
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE'
    case 'str':
    case 'e':
    case 'd':
      return value
    default:
      return value !== '' && dateStyles.has(Number(attribute(cell, 's'))) ? formatSerial(Number(value), dayZero) : value
  }
}

/** Writes the number of a day as a date, and its fraction as a time. */
export function formatSerial(serial: number, dayZero: number): string {
  const ms = Math.round((serial * dayMs) / 1000) * 1000
  const date = new Date(dayZero + ms)
  if (Number.isNaN(date.getTime())) return String(serial)
  const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T')
  if (serial >= 0 && serial < 1) return time
  return ms % dayMs === 0 ? day : `${day} ${time}`
}
