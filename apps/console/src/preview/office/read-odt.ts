import { type Block, hasText, maxBlocks, type Run } from './document.ts'
import { type OdfStyles, readOdfStyles } from './odf-styles.ts'
import type { Zip } from './open-zip.ts'
import { readPart, readPicture } from './package-parts.ts'
import { attribute, below, childOf, childrenOf } from './xml.ts'

/** The content of an OpenDocument file, and its styles. */
export type OdfContext = {
  zip: Zip
  styles: OdfStyles
  blocks: Block[]
  /** The notes that the text refers to, in order. */
  notes: Element[]
  /** The last number of each list style and depth. */
  numbers: Map<string, number>
}

/** Position in a list, and the style that decides whether its items have numbers. */
type ListPlace = { depth: number; style: string | undefined }

/** Elements that only contain others. The rest, such as comments, deleted text and forms, is omitted. */
const wrappers: ReadonlySet<string> = new Set(['section', 'index-body', 'table-of-content', 'numbered-paragraph'])

/**
 * Reads the text of an OpenDocument text: headings, paragraphs, lists, tables, links, pictures, and the notes at its end.
 * @param text the element with its text
 * @throws RangeError
 * @see https://docs.oasis-open.org/office/OpenDocument/v1.3/
 */
export async function readOdt(zip: Zip, text: Element): Promise<Block[]> {
  const context = await openOdf(zip, text)
  await addBlocks(text, context)
  if (context.notes.length > 0) context.blocks.push({ kind: 'break' })
  for (const [at, note] of context.notes.entries()) {
    const own: Block[] = []
    // A note has no notes of its own.
    await addBlocks(note, { ...context, blocks: own, notes: [] })
    const [first, ...others] = own
    const mark = { text: `[${at + 1}] ` }
    if (first?.kind === 'paragraph') context.blocks.push({ ...first, runs: [mark, ...first.runs] }, ...others)
    else context.blocks.push({ kind: 'paragraph', runs: [mark] }, ...own)
  }
  return context.blocks
}

/** Prepares to read the file that contains an element. */
export async function openOdf(zip: Zip, { ownerDocument }: Element): Promise<OdfContext> {
  const styles = readOdfStyles(ownerDocument.documentElement, await readPart(zip, 'styles.xml'))
  return { zip, styles, blocks: [], notes: [], numbers: new Map() }
}

export async function addBlocks(parent: Element | undefined, context: OdfContext): Promise<void> {
  for (const element of parent?.children ?? []) {
    if (context.blocks.length >= maxBlocks) return
    const { localName } = element
    if (localName === 'p' || localName === 'h') await addParagraph(element, context)
    else if (localName === 'list') await addList(element, context, { depth: 0, style: undefined })
    else if (localName === 'table') context.blocks.push(await readTable(element, context))
    else if (localName === 'frame') await addFrame(element, context)
    else if (wrappers.has(localName)) await addBlocks(element, context)
  }
}

async function addParagraph(element: Element, context: OdfContext, item?: { depth: number; number?: number }) {
  const runs = readRuns(element, context, {})
  if (hasText(runs)) context.blocks.push(describeParagraph(element, context, runs, item))
  const frames = below(element, 'frame').filter((frame) => !isInside(frame, element, ['frame', 'note', 'annotation']))
  for (const frame of frames) await addFrame(frame, context)
}

function describeParagraph(
  element: Element,
  { styles }: OdfContext,
  runs: Run[],
  item: { depth: number; number?: number } | undefined,
): Block {
  const level = element.localName === 'h' ? Number(attribute(element, 'outline-level') ?? 1) : undefined
  if (level !== undefined) return { kind: 'heading', level: Math.min(6, Math.max(1, level || 1)), runs }
  if (styles.isTitle(attribute(element, 'style-name'))) return { kind: 'heading', level: 1, runs }
  return item === undefined ? { kind: 'paragraph', runs } : { kind: 'item', ...item, runs }
}

async function addList(list: Element, context: OdfContext, { depth, style }: ListPlace): Promise<void> {
  const own = attribute(list, 'style-name') ?? style
  const isOrdered = context.styles.isOrdered(own, depth)
  const counter = `${own}/${depth}`
  const goesOn = attribute(list, 'continue-numbering') === 'true' || attribute(list, 'continue-list') !== undefined
  if (!goesOn) context.numbers.delete(counter)
  for (const item of childrenOf(list, 'list-header', 'list-item')) {
    let isFirst = true
    for (const element of item.children) {
      if (context.blocks.length >= maxBlocks) return
      if (element.localName === 'list') await addList(element, context, { depth: depth + 1, style: own })
      else if (element.localName === 'p' || element.localName === 'h') {
        const isItem = isFirst && item.localName === 'list-item'
        if (isItem) {
          const start = Number(attribute(item, 'start-value'))
          context.numbers.set(counter, Number.isSafeInteger(start) ? start : (context.numbers.get(counter) ?? 0) + 1)
        }
        const number = isOrdered ? context.numbers.get(counter) : undefined
        await addParagraph(
          element,
          context,
          isItem ? { depth, ...(number === undefined ? {} : { number }) } : undefined,
        )
        isFirst = false
      }
    }
  }
}

async function readTable(table: Element, context: OdfContext): Promise<Block> {
  const rows: Block[][][] = []
  for (const row of rowsOf(table)) {
    const cells: Block[][] = []
    for (const cell of childrenOf(row, 'table-cell', 'covered-table-cell')) {
      const blocks: Block[] = []
      await addBlocks(cell, { ...context, blocks })
      cells.push(blocks)
    }
    rows.push(cells)
  }
  return { kind: 'table', rows }
}

/** Returns the rows of a table, those of its head first. */
export function rowsOf(table: Element): Element[] {
  return [...table.children].flatMap((element) =>
    element.localName === 'table-row'
      ? [element]
      : ['table-header-rows', 'table-rows', 'table-row-group'].includes(element.localName)
        ? rowsOf(element)
        : [],
  )
}

/** Adds a picture, a table or a text box. Only pictures stored in the file are shown. */
export async function addFrame(frame: Element, context: OdfContext): Promise<void> {
  const box = childOf(frame, 'text-box')
  if (box !== undefined) return addBlocks(box, context)
  const table = childOf(frame, 'table')
  if (table !== undefined) context.blocks.push(await readTable(table, context))
  const [image] = table === undefined ? childrenOf(frame, 'image') : []
  if (image === undefined) return
  const path = attribute(image, 'href') ?? ''
  const text = (childOf(frame, 'title') ?? childOf(frame, 'desc'))?.textContent ?? ''
  const isInFile = !/^[a-z]+:/i.test(path)
  const picture = await readPicture(context.zip, isInFile ? path.replace(/^\.\//, '') : undefined)
  context.blocks.push({ kind: 'picture', picture, text })
}

/** Whether an element is inside an element with one of these names, below the other. */
function isInside(element: Element, top: Element, names: readonly string[]): boolean {
  for (let at = element.parentElement; at !== null && at !== top; at = at.parentElement)
    if (names.includes(at.localName)) return true
  return false
}

function readRuns(parent: Element, context: OdfContext, style: Omit<Run, 'text'>): Run[] {
  return [...parent.childNodes].flatMap((node): Run[] => {
    if (!(node instanceof Element)) {
      // White space collapses into one space; an element stands for further spaces.
      const text = node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '').replaceAll(/\s+/g, ' ') : ''
      return text === '' ? [] : [{ text, ...style }]
    }
    switch (node.localName) {
      case 'span':
        return readRuns(node, context, { ...style, ...context.styles.runStyleOf(attribute(node, 'style-name')) })
      case 'a':
        return readRuns(node, context, { ...style, href: attribute(node, 'href') ?? '' })
      case 's':
        return [{ text: ' '.repeat(Math.min(100, Number(attribute(node, 'c') ?? 1) || 1)), ...style }]
      case 'tab':
        return [{ text: '\t', ...style }]
      case 'line-break':
        return [{ text: '\n', ...style }]
      case 'note': {
        const body = childOf(node, 'note-body')
        return body === undefined ? [] : [{ text: `[${context.notes.push(body)}]`, ...style }]
      }
      case 'frame':
      case 'annotation':
      case 'tracked-changes':
      case 'ruby-text':
        return []
      default:
        // Fields, such as dates and page numbers, and index marks are read as the text they show.
        return readRuns(node, context, style)
    }
  })
}
