import type { OfficeFile } from './document.ts'
import { limitBlocks } from './limit-blocks.ts'
import { openZip, type Zip } from './open-zip.ts'
import { readPart } from './package-parts.ts'
import { readDocx } from './read-docx.ts'
import { readEpub } from './read-epub.ts'
import { readOdp } from './read-odp.ts'
import { readOds } from './read-ods.ts'
import { readOdt } from './read-odt.ts'
import { readPptx } from './read-pptx.ts'
import { readXlsx } from './read-xlsx.ts'
import { childOf } from './xml.ts'

/**
 * Reads an office file or a book by its content, regardless of its name.
 * @param titleOf names a slide without a title
 * @returns undefined if it is another kind of file
 * @throws RangeError if it is damaged
 */
export async function readOffice(file: Blob, titleOf: (slide: number) => string): Promise<OfficeFile | undefined> {
  const zip = await openZip(file)
  const has = (name: string) => zip.names.includes(name)
  if (has('word/document.xml')) return { kind: 'document', ...limitBlocks(await readDocx(zip)) }
  if (has('xl/workbook.xml')) return { kind: 'sheets', ...(await readXlsx(zip)) }
  if (has('ppt/presentation.xml')) return { kind: 'document', ...limitBlocks(await readPptx(zip, titleOf)) }
  if (has('META-INF/container.xml')) return { kind: 'document', ...limitBlocks(await readEpub(zip)) }
  if (has('content.xml')) return readOdf(zip, titleOf)
  return undefined
}

/** An OpenDocument text, presentation or workbook. */
async function readOdf(zip: Zip, titleOf: (slide: number) => string): Promise<OfficeFile | undefined> {
  const body = childOf(await readPart(zip, 'content.xml'), 'body')
  const [text, slides, spreadsheet] = ['text', 'presentation', 'spreadsheet'].map((name) => childOf(body, name))
  if (text !== undefined) return { kind: 'document', ...limitBlocks(await readOdt(zip, text)) }
  if (slides !== undefined) return { kind: 'document', ...limitBlocks(await readOdp(zip, slides, titleOf)) }
  return spreadsheet === undefined ? undefined : { kind: 'sheets', ...readOds(spreadsheet) }
}
