import type { OfficeFile } from './document.ts'
import { openZip } from './open-zip.ts'
import { readDocx } from './read-docx.ts'
import { readEpub } from './read-epub.ts'
import { readPptx } from './read-pptx.ts'
import { readXlsx } from './read-xlsx.ts'

/**
 * Reads an office file or a book by what it contains, whatever its name says.
 * @param titleOf names a slide without a title
 * @returns undefined if it is none
 * @throws RangeError if it is damaged
 */
export async function readOffice(file: Blob, titleOf: (slide: number) => string): Promise<OfficeFile | undefined> {
  const zip = await openZip(file)
  const has = (name: string) => zip.names.includes(name)
  if (has('word/document.xml')) return { kind: 'document', blocks: await readDocx(zip) }
  if (has('xl/workbook.xml')) return { kind: 'sheets', sheets: await readXlsx(zip) }
  if (has('ppt/presentation.xml')) return { kind: 'document', blocks: await readPptx(zip, titleOf) }
  if (has('META-INF/container.xml')) return { kind: 'document', blocks: await readEpub(zip) }
  return undefined
}
