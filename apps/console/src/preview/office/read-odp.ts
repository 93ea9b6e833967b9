import { type Block, maxBlocks } from './document.ts'
import type { Zip } from './open-zip.ts'
import { addBlocks, addFrame, type OdfContext, openOdf } from './read-odt.ts'
import { joinSlides } from './slides.ts'
import { attribute, childrenOf } from './xml.ts'

/** Groups and links of shapes. */
const wrappers: ReadonlySet<string> = new Set(['g', 'a'])
/** Shapes that may contain text. */
const shapes: ReadonlySet<string> = new Set(['custom-shape', 'rect', 'ellipse', 'circle', 'polygon', 'path'])

/**
 * Reads the texts, tables and pictures of an OpenDocument presentation, slide by slide, without the notes of the speaker.
 * @param presentation the element with its slides
 * @param titleOf names a slide without a title
 * @throws RangeError
 * @see https://docs.oasis-open.org/office/OpenDocument/v1.3/
 */
export async function readOdp(zip: Zip, presentation: Element, titleOf: (slide: number) => string): Promise<Block[]> {
  const context = await openOdf(zip, presentation)
  return joinSlides(childrenOf(presentation, 'page'), titleOf, async (page) => {
    const blocks: Block[] = []
    await addShapes(page, { ...context, blocks })
    return blocks
  })
}

async function addShapes(parent: Element, context: OdfContext): Promise<void> {
  for (const shape of parent.children) {
    if (context.blocks.length >= maxBlocks) return
    if (wrappers.has(shape.localName)) await addShapes(shape, context)
    else if (shapes.has(shape.localName)) await addBlocks(shape, context)
    else if (shape.localName !== 'frame') continue
    else if (attribute(shape, 'class') === 'title') await addTitle(shape, context)
    else await addFrame(shape, context)
  }
}

async function addTitle(frame: Element, context: OdfContext): Promise<void> {
  const blocks: Block[] = []
  await addFrame(frame, { ...context, blocks })
  context.blocks.push(
    ...blocks.map((block): Block => (block.kind === 'paragraph' ? { ...block, kind: 'heading', level: 1 } : block)),
  )
}
