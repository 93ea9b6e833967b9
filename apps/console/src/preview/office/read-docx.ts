import { type Block, hasText, maxBlocks, type Run } from './document.ts'
import type { Zip } from './open-zip.ts'
import { type Relation, readPart, readPicture, readRelations } from './package-parts.ts'
import { attribute, below, childOf, childrenOf } from './xml.ts'

const documentPath = 'word/document.xml'
/** Limit of Word: lists have nine levels. */
const maxDepth = 8
/** Elements that only contain others: content controls, and markup of other programs. */
const wrappers: ReadonlySet<string> = new Set(['sdt', 'sdtContent', 'customXml'])

/** A footnote or endnote, by its id among those of its kind. */
type Note = { kind: 'footnote' | 'endnote'; id: string }

/** The lists of a document, and the numbers of their last items. */
type Lists = {
  /** The abstract list of each list. Lists of the same one continue its numbers. */
  forms: ReadonlyMap<string, string>
  /** The first number of each abstract list and depth; absent for a list without numbers. */
  starts: ReadonlyMap<string, number>
  /** First numbers that a list sets for a depth instead. Removed once used. */
  restarts: Map<string, number>
  /** The last number of each depth, by form. */
  counts: Map<string, (number | undefined)[]>
}

type Context = {
  zip: Zip
  relations: ReadonlyMap<string, Relation>
  /** Level of the heading of each paragraph style. */
  headings: ReadonlyMap<string, number>
  lists: Lists
  /** The notes that the text refers to, in order. */
  notes: Note[]
}

/**
 * Reads the text of a Word document: headings, paragraphs, lists, tables, links, pictures, and the notes at its end. Deleted text
 * is omitted.
 * @throws RangeError
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
export async function readDocx(zip: Zip): Promise<Block[]> {
  const root = await readPart(zip, documentPath)
  const context: Context = {
    zip,
    relations: await readRelations(zip, documentPath),
    headings: readHeadings(await readPart(zip, 'word/styles.xml')),
    lists: readLists(await readPart(zip, 'word/numbering.xml')),
    notes: [],
  }
  const blocks = await readBlocks(childOf(root, 'body'), context)
  return context.notes.length === 0 ? blocks : [...blocks, { kind: 'break' }, ...(await readNotes(context))]
}

/** Reads the notes that the text refers to, each with its number. */
async function readNotes({ notes, ...context }: Context): Promise<Block[]> {
  const kinds = ['footnote', 'endnote'] as const
  const parts = await Promise.all(
    kinds.map(async (kind) => {
      const path = `word/${kind}s.xml`
      const found = childrenOf(await readPart(context.zip, path), kind)
      const relations = await readRelations(context.zip, path)
      return [kind, { relations, byId: new Map(found.map((note) => [attribute(note, 'id'), note])) }] as const
    }),
  )
  const read = new Map(parts)
  const blocks: Block[] = []
  for (const [at, { kind, id }] of notes.entries()) {
    const part = read.get(kind)
    // A note has no notes of its own.
    const own = await readBlocks(part?.byId.get(id), { ...context, relations: part?.relations ?? new Map(), notes: [] })
    const [first, ...others] = own
    const mark = { text: `[${at + 1}] ` }
    if (first?.kind === 'paragraph') blocks.push({ ...first, runs: [mark, ...first.runs] }, ...others)
    else blocks.push({ kind: 'paragraph', runs: [mark] }, ...own)
  }
  return blocks
}

function readHeadings(styles: Element | undefined): Map<string, number> {
  const headings = new Map<string, number>()
  for (const style of childrenOf(styles, 'style')) {
    const name = attribute(childOf(style, 'name'), 'val') ?? ''
    const outline = attribute(childOf(style, 'pPr', 'outlineLvl'), 'val')
    const match = /^(?:heading (\d)|(title))$/i.exec(name)
    const level = match === null ? (outline === undefined ? undefined : Number(outline) + 1) : Number(match[1] ?? 1)
    const id = attribute(style, 'styleId')
    if (id !== undefined && level !== undefined && level >= 1 && level <= 6) headings.set(id, level)
  }
  return headings
}

function readLists(numbering: Element | undefined): Lists {
  const lists = {
    forms: new Map<string, string>(),
    starts: new Map<string, number>(),
    restarts: new Map<string, number>(),
  }
  const numberOf = (element: Element | undefined) => Number(attribute(element, 'val') ?? 1) || 0
  for (const form of childrenOf(numbering, 'abstractNum')) {
    for (const level of childrenOf(form, 'lvl')) {
      const format = attribute(childOf(level, 'numFmt'), 'val') ?? 'bullet'
      if (format === 'bullet' || format === 'none') continue
      const place = `${attribute(form, 'abstractNumId')}/${attribute(level, 'ilvl') ?? '0'}`
      lists.starts.set(place, numberOf(childOf(level, 'start')))
    }
  }
  for (const list of childrenOf(numbering, 'num')) {
    const id = attribute(list, 'numId') ?? ''
    lists.forms.set(id, attribute(childOf(list, 'abstractNumId'), 'val') ?? '')
    for (const override of childrenOf(list, 'lvlOverride')) {
      const start = childOf(override, 'startOverride')
      if (start !== undefined) lists.restarts.set(`${id}/${attribute(override, 'ilvl') ?? '0'}`, numberOf(start))
    }
  }
  return { ...lists, counts: new Map() }
}

/** Counts an item. @returns its number; undefined if its list has none */
function countItem({ forms, starts, restarts, counts }: Lists, id: string, depth: number): number | undefined {
  const form = forms.get(id) ?? ''
  const start = starts.get(`${form}/${depth}`)
  const before = counts.get(form) ?? []
  const restart = restarts.get(`${id}/${depth}`)
  restarts.delete(`${id}/${depth}`)
  const number = restart ?? (before[depth] === undefined ? start : before[depth] + 1)
  // Restarts deeper levels.
  counts.set(form, [...Array.from({ length: depth }, (_none, at) => before[at]), number])
  return start === undefined ? undefined : number
}

/** Returns the child elements with these names, including those in elements that only contain others. */
function partsOf(parent: Element | undefined, ...names: string[]): Element[] {
  return [...(parent?.children ?? [])].flatMap((element) => {
    if (names.includes(element.localName)) return [element]
    return wrappers.has(element.localName) ? partsOf(element, ...names) : []
  })
}

async function readBlocks(parent: Element | undefined, context: Context): Promise<Block[]> {
  const blocks: Block[] = []
  for (const element of partsOf(parent, 'p', 'tbl')) {
    if (blocks.length >= maxBlocks) break
    if (element.localName === 'p') blocks.push(...(await readParagraph(element, context)))
    else blocks.push(await readTable(element, context))
  }
  return blocks
}

async function readTable(table: Element, context: Context): Promise<Block> {
  const rows: Block[][][] = []
  for (const row of partsOf(table, 'tr')) {
    const cells: Block[][] = []
    for (const cell of partsOf(row, 'tc')) cells.push(await readBlocks(cell, context))
    rows.push(cells)
  }
  return { kind: 'table', rows }
}

async function readParagraph(paragraph: Element, context: Context): Promise<Block[]> {
  const style = childOf(paragraph, 'pPr')
  const runs = readRuns(paragraph, context)
  const level = context.headings.get(attribute(childOf(style, 'pStyle'), 'val') ?? '')
  const list = childOf(style, 'numPr')
  const listId = attribute(childOf(list, 'numId'), 'val')
  const isItem = listId !== undefined && listId !== '0'
  const depth = Math.min(maxDepth, Math.max(0, Math.trunc(Number(attribute(childOf(list, 'ilvl'), 'val') ?? 0)) || 0))
  const number = isItem ? countItem(context.lists, listId, depth) : undefined
  const blocks: Block[] = []
  if (hasText(runs)) {
    if (level !== undefined) blocks.push({ kind: 'heading', level, runs })
    else if (isItem) blocks.push({ kind: 'item', depth, ...(number === undefined ? {} : { number }), runs })
    else blocks.push({ kind: 'paragraph', runs })
  }
  for (const drawing of below(paragraph, 'drawing')) {
    // Pictures in a text box are read with the box.
    if (drawing.parentElement?.closest('txbxContent') !== paragraph.closest('txbxContent')) continue
    const isOwn = (part: Element) => part.parentElement?.closest('drawing') === drawing
    const boxes = below(drawing, 'txbxContent').filter(isOwn)
    for (const box of boxes) blocks.push(...(await readBlocks(box, context)))
    const blip = below(drawing, 'blip').find(isOwn)
    if (blip === undefined && boxes.length > 0) continue
    const path = context.relations.get(attribute(blip, 'embed') ?? '')
    const text = attribute(below(drawing, 'docPr')[0], 'descr') ?? ''
    const picture = await readPicture(context.zip, path?.isExternal === false ? path.target : undefined)
    blocks.push({ kind: 'picture', picture, text })
  }
  return blocks
}

function readRuns(parent: Element, context: Context, href?: string): Run[] {
  return [...parent.children].flatMap((element): Run[] => {
    switch (element.localName) {
      case 'r':
        return [readRun(element, context, href)]
      case 'hyperlink': {
        const link = context.relations.get(attribute(element, 'id') ?? '')
        return readRuns(element, context, link?.isExternal === true ? link.target : undefined)
      }
      case 'ins':
      // The target of a move is read; its origin is omitted.
      case 'moveTo':
      case 'smartTag':
      case 'fldSimple':
      case 'sdt':
      case 'sdtContent':
      case 'customXml':
        return readRuns(element, context, href)
      // A formula: its characters.
      case 'oMath':
      case 'oMathPara':
        return [
          {
            text: below(element, 't')
              .map(({ textContent }) => textContent)
              .join(''),
          },
        ]
      default:
        return []
    }
  })
}

function readRun(run: Element, { notes }: Context, href: string | undefined): Run {
  const style = childOf(run, 'rPr')
  const text = [...run.children]
    .map((part) => {
      switch (part.localName) {
        case 't':
          return part.textContent
        case 'tab':
        case 'ptab':
          return '\t'
        case 'noBreakHyphen':
          return '-'
        case 'softHyphen':
          return '\u00ad'
        case 'br':
        case 'cr':
          return '\n'
        case 'footnoteReference':
        case 'endnoteReference': {
          const kind = part.localName === 'footnoteReference' ? 'footnote' : 'endnote'
          return `[${notes.push({ kind, id: attribute(part, 'id') ?? '' })}]`
        }
        default:
          return ''
      }
    })
    .join('')
  return {
    text,
    isBold: isOn(childOf(style, 'b')),
    isItalic: isOn(childOf(style, 'i')),
    isStruck: isOn(childOf(style, 'strike')),
    ...(href === undefined ? {} : { href }),
  }
}

/** A property without a value is on. */
function isOn(property: Element | undefined): boolean {
  return property !== undefined && !['0', 'false', 'off'].includes(attribute(property, 'val') ?? '1')
}
