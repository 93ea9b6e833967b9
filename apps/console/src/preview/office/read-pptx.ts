import { type Block, hasText, type Run } from './document.ts'
import type { Zip } from './open-zip.ts'
import { type Relation, readPart, readPicture, readRelations } from './package-parts.ts'
import { joinSlides } from './slides.ts'
import { attribute, below, childOf, childrenOf } from './xml.ts'

const presentationPath = 'ppt/presentation.xml'

/**
 * Reads the texts, tables and pictures of a presentation, slide by slide, in the order of the file.
 * @param titleOf names a slide without a title
 * @throws RangeError
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-376/
 */
export async function readPptx(zip: Zip, titleOf: (slide: number) => string): Promise<Block[]> {
  const presentation = await readPart(zip, presentationPath)
  const slides = await readRelations(zip, presentationPath)
  return joinSlides(childrenOf(childOf(presentation, 'sldIdLst'), 'sldId'), titleOf, async (id) => {
    const path = slides.get(relationOf(id))?.target
    const slide = path === undefined ? undefined : await readPart(zip, path)
    if (path === undefined || slide === undefined) return undefined
    return readShapes(childOf(slide, 'cSld', 'spTree'), zip, await readRelations(zip, path))
  })
}

/** A slide has two attributes `id`: its own, and in the namespace of relations that of its part. */
function relationOf(slide: Element): string {
  return [...slide.attributes].find(({ localName, prefix }) => localName === 'id' && prefix !== null)?.value ?? ''
}

async function readShapes(
  tree: Element | undefined,
  zip: Zip,
  relations: ReadonlyMap<string, Relation>,
): Promise<Block[]> {
  const blocks: Block[] = []
  for (const shape of childrenOf(tree, 'sp', 'pic', 'graphicFrame', 'grpSp')) {
    if (shape.localName === 'grpSp') blocks.push(...(await readShapes(shape, zip, relations)))
    else if (shape.localName === 'sp') blocks.push(...readTexts(shape))
    else if (shape.localName === 'pic') {
      const relation = relations.get(attribute(below(shape, 'blip')[0], 'embed') ?? '')
      const picture = await readPicture(zip, relation?.isExternal === false ? relation.target : undefined)
      blocks.push({ kind: 'picture', picture, text: attribute(below(shape, 'cNvPr')[0], 'descr') ?? '' })
    } else blocks.push(...below(shape, 'tbl').map(readTable))
  }
  return blocks
}

function readTexts(shape: Element): Block[] {
  const kind = attribute(childOf(shape, 'nvSpPr', 'nvPr', 'ph'), 'type')
  const isTitle = kind === 'title' || kind === 'ctrTitle'
  return childrenOf(childOf(shape, 'txBody'), 'p').flatMap((paragraph): Block[] => {
    const runs = readRuns(paragraph)
    if (!hasText(runs)) return []
    return [isTitle ? { kind: 'heading', level: 1, runs } : { kind: 'paragraph', runs }]
  })
}

function readRuns(paragraph: Element): Run[] {
  return childrenOf(paragraph, 'r', 'br', 'fld').map((run) => {
    const style = childOf(run, 'rPr')
    const isOn = (name: string) => ['1', 'true'].includes(attribute(style, name) ?? '0')
    return {
      text: run.localName === 'br' ? '\n' : (childOf(run, 't')?.textContent ?? ''),
      isBold: isOn('b'),
      isItalic: isOn('i'),
    }
  })
}

function readTable(table: Element): Block {
  const rows = childrenOf(table, 'tr').map((row) =>
    childrenOf(row, 'tc').map((cell) =>
      childrenOf(childOf(cell, 'txBody'), 'p').map(
        (paragraph): Block => ({ kind: 'paragraph', runs: readRuns(paragraph) }),
      ),
    ),
  )
  return { kind: 'table', rows }
}
