import { type Block, hasText, maxBlocks, type Run } from './document.ts'
import type { Zip } from './open-zip.ts'
import { type Relation, readPart, readPicture, readRelations } from './package-parts.ts'
import { attribute, below, childOf, childrenOf } from './xml.ts'

const documentPath = 'word/document.xml'

/** A footnote or endnote, by its id among those of its kind. */
type Note = { kind: 'footnote' | 'endnote'; id: string }

type Context = {
  zip: Zip
  relations: ReadonlyMap<string, Relation>
  /** Level of the heading of each paragraph style. */
  headings: ReadonlyMap<string, number>
  /** Lists with numbers, by the id of the list and the depth. */
  ordered: ReadonlySet<string>
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
    ordered: readOrdered(await readPart(zip, 'word/numbering.xml')),
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

function readOrdered(numbering: Element | undefined): Set<string> {
  const formats = new Map<string, Map<string, string>>()
  for (const list of childrenOf(numbering, 'abstractNum')) {
    const levels = childrenOf(list, 'lvl').map(
      (level) => [attribute(level, 'ilvl') ?? '0', attribute(childOf(level, 'numFmt'), 'val') ?? 'bullet'] as const,
    )
    formats.set(attribute(list, 'abstractNumId') ?? '', new Map(levels))
  }
  const ordered = new Set<string>()
  for (const list of childrenOf(numbering, 'num')) {
    const levels = formats.get(attribute(childOf(list, 'abstractNumId'), 'val') ?? '') ?? []
    for (const [depth, format] of levels)
      if (format !== 'bullet' && format !== 'none') ordered.add(`${attribute(list, 'numId')}/${depth}`)
  }
  return ordered
}

async function readBlocks(parent: Element | undefined, context: Context): Promise<Block[]> {
  const blocks: Block[] = []
  for (const element of childrenOf(parent, 'p', 'tbl', 'sdt')) {
    if (blocks.length >= maxBlocks) break
    if (element.localName === 'p') blocks.push(...(await readParagraph(element, context)))
    else if (element.localName === 'sdt') blocks.push(...(await readBlocks(childOf(element, 'sdtContent'), context)))
    else blocks.push(await readTable(element, context))
  }
  return blocks
}

async function readTable(table: Element, context: Context): Promise<Block> {
  const rows: Block[][][] = []
  for (const row of childrenOf(table, 'tr')) {
    const cells: Block[][] = []
    for (const cell of childrenOf(row, 'tc')) cells.push(await readBlocks(cell, context))
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
  const blocks: Block[] = []
  if (hasText(runs)) {
    if (level !== undefined) blocks.push({ kind: 'heading', level, runs })
    else if (listId !== undefined && listId !== '0') {
      const depth = attribute(childOf(list, 'ilvl'), 'val') ?? '0'
      blocks.push({ kind: 'item', depth: Number(depth), isOrdered: context.ordered.has(`${listId}/${depth}`), runs })
    } else blocks.push({ kind: 'paragraph', runs })
  }
  for (const drawing of below(paragraph, 'drawing')) {
    const [blip] = below(drawing, 'blip')
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
      // Where text was moved to; where it came from is omitted.
      case 'moveTo':
      case 'smartTag':
      case 'fldSimple':
        return readRuns(element, context, href)
      case 'sdt':
        return childrenOf(element, 'sdtContent').flatMap((content) => readRuns(content, context, href))
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
          return '\t'
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
