import { type Block, hasText, maxBlocks, type Run } from './document.ts'
import type { Zip } from './open-zip.ts'
import { readPart, readPicture, resolvePath } from './package-parts.ts'
import { attribute, below, childOf, childrenOf } from './xml.ts'

/**
 * Reads the text of a book, chapter by chapter: headings, paragraphs, lists, tables, links and pictures.
 * @throws RangeError
 * @see https://www.w3.org/TR/epub-33/
 */
export async function readEpub(zip: Zip): Promise<Block[]> {
  const container = await readPart(zip, 'META-INF/container.xml')
  const path = attribute(below(container, 'rootfile')[0], 'full-path') ?? ''
  const book = await readPart(zip, path)
  const chapters = new Map(
    childrenOf(childOf(book, 'manifest'), 'item').map((item) => [attribute(item, 'id'), attribute(item, 'href')]),
  )
  const blocks: Block[] = []
  for (const reference of childrenOf(childOf(book, 'spine'), 'itemref')) {
    if (blocks.length >= maxBlocks) break
    const href = chapters.get(attribute(reference, 'idref'))
    if (href === undefined) continue
    const chapterPath = resolvePath(path, decodePath(href))
    const bytes = await zip.read(chapterPath)
    if (bytes === undefined) continue
    // A separate document: nothing in it runs or loads, and only its text and the book's pictures are used.
    const { body } = new DOMParser().parseFromString(toHtml(new TextDecoder().decode(bytes)), 'text/html')
    if (blocks.length > 0) blocks.push({ kind: 'break' })
    await addBlocks(body, { zip, path: chapterPath, blocks, depth: 0, numbers: new Map() })
  }
  return blocks
}

/**
 * Returns a chapter, which is XHTML, as HTML, because many books are not well-formed. As HTML, an empty element such as
 * `<title/>` would not be closed and would contain the rest of the chapter. Styles are renamed: they are not shown, and the
 * browser would report each as a violation of the page's policy.
 */
export function toHtml(xhtml: string): string {
  return (
    xhtml
      .replaceAll(/<(\/?)style\b/gi, `<$1${styleName}`)
      // A tag is not searched for beyond the next `<`, and its name ends in one place only; otherwise a malicious book would take
      // quadratic time.
      .replaceAll(/<([a-z][^\s/<>]*)(?:[\s/][^<>]*)?>/gi, (tag, name: string) => {
        const ended = tag.endsWith('/>') && !emptyNames.has(name.toLowerCase()) ? `${tag.slice(0, -2)}></${name}>` : tag
        return ended.replaceAll(/\sstyle\s*=/gi, ' data-style=')
      })
  )
}

/** Void elements of HTML. */
const emptyNames: ReadonlySet<string> = new Set([
  ...[
    'area',
    'base',
    'br',
    'col',
    'embed',
    'hr',
    'image',
    'img',
    'input',
    'link',
    'meta',
    'param',
    'source',
    'track',
    'wbr',
  ],
])

function decodePath(href: string): string {
  const path = href.split('#', 1)[0] ?? ''
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

type Context = {
  zip: Zip
  path: string
  blocks: Block[]
  depth: number
  /** The last number of each list. */
  numbers: Map<Element, number>
}

/** Deeper elements are shown as one paragraph, because browsers cannot lay out thousands of levels. */
const maxDepth = 60
const inlineNames: ReadonlySet<string> = new Set([
  ...['a', 'abbr', 'b', 'bdi', 'bdo', 'br', 'cite', 'code', 'del', 'dfn', 'em', 'i', 'kbd', 'mark', 'q', 'ruby', 's'],
  ...['samp', 'small', 'span', 'strong', 'sub', 'sup', 'time', 'u', 'var'],
])
/** Replaces `style` in the parsed text. */
const styleName = 'omitted-style'
const omitted: ReadonlySet<string> = new Set([
  styleName,
  'script',
  'style',
  'template',
  'head',
  'title',
  'iframe',
  'object',
  'form',
])

async function addBlocks(parent: Element, context: Context): Promise<void> {
  const { blocks, depth } = context
  let line: Run[] = []
  const endLine = () => {
    if (hasText(line)) blocks.push({ kind: 'paragraph', runs: line })
    line = []
  }
  for (const node of parent.childNodes) {
    if (blocks.length >= maxBlocks) return
    if (!(node instanceof Element)) line.push(...readInline(node, {}))
    else if (omitted.has(node.localName)) continue
    else if (node.localName === 'img' || node.localName === 'image') {
      endLine()
      await addPicture(node, context)
    } else if (inlineNames.has(node.localName) && node.querySelector('img,image') === null)
      line.push(...readInline(node, {}))
    else {
      endLine()
      const level = /^h([1-6])$/.exec(node.localName)?.[1]
      if (level !== undefined) blocks.push({ kind: 'heading', level: Number(level), runs: readInline(node, {}) })
      else if (node.localName === 'table') blocks.push(readTable(node))
      else if (node.localName === 'pre')
        blocks.push({ kind: 'paragraph', runs: [{ text: node.textContent.trimEnd() }] })
      else if (depth >= maxDepth) blocks.push({ kind: 'paragraph', runs: [{ text: node.textContent }] })
      else if (node.localName === 'li') await addItem(node, context)
      else await addBlocks(node, { ...context, depth: depth + 1 })
    }
  }
  endLine()
}

async function addItem(item: Element, context: Context): Promise<void> {
  const { blocks, depth } = context
  const number = countItem(item, context)
  const inner: Block[] = []
  await addBlocks(item, { ...context, blocks: inner, depth: depth + 1 })
  let lists = -1
  for (let at = item.parentElement; at !== null; at = at.parentElement)
    if (at.localName === 'ol' || at.localName === 'ul') lists++
  const [first, ...others] = inner
  if (first?.kind === 'paragraph')
    blocks.push(
      { kind: 'item', depth: Math.max(0, lists), ...(number === undefined ? {} : { number }), runs: first.runs },
      ...others,
    )
  else blocks.push(...inner)
}

/** Returns the number of an item; undefined in a list without numbers. */
function countItem(item: Element, { numbers }: Context): number | undefined {
  const list = item.parentElement
  if (list?.localName !== 'ol') return undefined
  const before = numbers.get(list) ?? Number(attribute(list, 'start') ?? 1) - 1
  const number = Number(attribute(item, 'value') ?? before + 1)
  numbers.set(list, number)
  return Number.isSafeInteger(number) ? number : undefined
}

async function addPicture(element: Element, { zip, path, blocks }: Context): Promise<void> {
  const source = attribute(element, 'src') ?? attribute(element, 'href') ?? ''
  const isInBook = !/^[a-z]+:/i.test(source)
  const picture = await readPicture(zip, isInBook ? resolvePath(path, decodePath(source)) : undefined)
  blocks.push({ kind: 'picture', picture, text: attribute(element, 'alt') ?? '' })
}

function readTable(table: Element): Block {
  const rows = [...table.querySelectorAll('tr')].map((row) =>
    childrenOf(row, 'td', 'th').map((cell): Block[] => [{ kind: 'paragraph', runs: readInline(cell, {}) }]),
  )
  return { kind: 'table', rows }
}

function readInline(node: Node, style: Omit<Run, 'text'>): Run[] {
  if (!(node instanceof Element)) {
    // As in HTML, white space collapses into one space.
    const text = node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '').replaceAll(/\s+/g, ' ') : ''
    return text === '' ? [] : [{ text, ...style }]
  }
  const name = node.localName
  if (omitted.has(name)) return []
  if (name === 'br') return [{ text: '\n', ...style }]
  const href = name === 'a' ? attribute(node, 'href') : undefined
  const inner = {
    ...style,
    ...(name === 'b' || name === 'strong' ? { isBold: true } : {}),
    ...(name === 'i' || name === 'em' || name === 'cite' ? { isItalic: true } : {}),
    ...(name === 'del' || name === 's' ? { isStruck: true } : {}),
    ...(href === undefined ? {} : { href }),
  }
  return [...node.childNodes].flatMap((one) => readInline(one, inner))
}
