import { type Sheet, sheetLimits, type Workbook } from './document.ts'
import { builtInCode, type NumberFormat, readNumberFormat } from './number-format.ts'
import type { Zip } from './open-zip.ts'
import { readPart, readRelations } from './package-parts.ts'
import { attribute, below, childOf, childrenOf } from './xml.ts'

const workbookPath = 'xl/workbook.xml'
const { sheets: maxSheets, rows: maxRows, columns: maxColumns } = sheetLimits

type Context = { strings: readonly string[]; formats: readonly NumberFormat[] }

/**
 * Reads the values of a workbook: texts, numbers and dates in their formats, and the last results of formulas, which are not
 * computed.
 * @throws RangeError
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
export async function readXlsx(zip: Zip): Promise<Workbook> {
  const workbook = await readPart(zip, workbookPath)
  const relations = await readRelations(zip, workbookPath)
  const isFrom1904 = ['1', 'true'].includes(attribute(childOf(workbook, 'workbookPr'), 'date1904') ?? '0')
  const context: Context = {
    strings: childrenOf(await readPart(zip, 'xl/sharedStrings.xml'), 'si').map(textOf),
    // Day 60 of the first system is a day that did not exist.
    formats: readFormats(
      await readPart(zip, 'xl/styles.xml'),
      isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30),
    ),
  }
  const sheets: Sheet[] = []
  const listed = childrenOf(childOf(workbook, 'sheets'), 'sheet')
  for (const sheet of listed.slice(0, maxSheets)) {
    const relation = relations.get(attribute(sheet, 'id') ?? '')
    const root = relation === undefined || relation.isExternal ? undefined : await readPart(zip, relation.target)
    const read = readRows(childrenOf(childOf(root, 'sheetData'), 'row'), context)
    sheets.push({ name: attribute(sheet, 'name') ?? '', ...read })
  }
  return { sheets, isCut: listed.length > maxSheets }
}

/** The text of a string, without the reading aids of some scripts. */
function textOf(element: Element): string {
  return below(element, 't')
    .filter(({ parentElement }) => parentElement?.localName !== 'rPh')
    .map(({ textContent }) => textContent)
    .join('')
}

/** The format of each style of cells. */
function readFormats(styles: Element | undefined, dayZero: number): NumberFormat[] {
  const codes = new Map(
    childrenOf(childOf(styles, 'numFmts'), 'numFmt').map((format) => [
      Number(attribute(format, 'numFmtId')),
      attribute(format, 'formatCode') ?? '',
    ]),
  )
  const byId = new Map<number, NumberFormat>()
  return childrenOf(childOf(styles, 'cellXfs'), 'xf').map((style) => {
    const id = Number(attribute(style, 'numFmtId') ?? 0)
    const format = byId.get(id) ?? readNumberFormat(codes.get(id) ?? builtInCode(id), dayZero)
    byId.set(id, format)
    return format
  })
}

/** Empty rows and cells are not in the file, but stand between the others. */
function readRows(elements: readonly Element[], context: Context): Pick<Sheet, 'rows' | 'isCut'> {
  const rows: string[][] = []
  for (const element of elements) {
    const number = Number(attribute(element, 'r') ?? rows.length + 1)
    if (number > maxRows || rows.length >= maxRows) {
      // Programs also format rows that are empty.
      if (childrenOf(element, 'c').some((cell) => readCell(cell, context) !== '')) return { rows, isCut: true }
      continue
    }
    while (rows.length < number - 1) rows.push([])
    const row: string[] = []
    for (const cell of childrenOf(element, 'c')) {
      const column = columnOf(attribute(cell, 'r')) ?? row.length
      if (column >= maxColumns) break
      while (row.length < column) row.push('')
      row[column] = readCell(cell, context)
    }
    rows.push(row)
  }
  return { rows, isCut: false }
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

function readCell(cell: Element, { strings, formats }: Context): string {
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
      return value === '' ? '' : (formats[Number(attribute(cell, 's') ?? 0)] ?? String)(Number(value))
  }
}
