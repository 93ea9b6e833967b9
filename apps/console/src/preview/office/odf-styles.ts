import type { Run } from './document.ts'
import { attribute, childOf, childrenOf } from './xml.ts'

/** The styles of text in an OpenDocument file. */
export type OdfStyles = {
  /** The style of a part of a line. */
  runStyleOf(name: string | undefined): Omit<Run, 'text'>
  /** Whether a paragraph is the title of the document. */
  isTitle(name: string | undefined): boolean
  /** Whether a list has numbers at this depth, from 0. */
  isOrdered(name: string | undefined, depth: number): boolean
}

const titleStyle = 'Title'

/**
 * Reads the styles of a document.
 * @param content the root of its content, which has styles of its own
 * @param shared the root of its shared styles
 */
export function readOdfStyles(content: Element, shared: Element | undefined): OdfStyles {
  const holders = [content, ...(shared === undefined ? [] : [shared])].flatMap((root) =>
    childrenOf(root, 'automatic-styles', 'styles'),
  )
  const runStyles = new Map<string, Omit<Run, 'text'>>()
  const titles = new Set([titleStyle])
  const ordered = new Set<string>()
  for (const style of holders.flatMap((holder) => childrenOf(holder, 'style'))) {
    const name = attribute(style, 'name') ?? ''
    if (attribute(style, 'parent-style-name') === titleStyle) titles.add(name)
    if (!runStyles.has(name)) runStyles.set(name, readRunStyle(childOf(style, 'text-properties')))
  }
  for (const list of holders.flatMap((holder) => childrenOf(holder, 'list-style'))) {
    for (const level of childrenOf(list, 'list-level-style-number'))
      if (attribute(level, 'num-format') !== '') ordered.add(`${attribute(list, 'name')}/${attribute(level, 'level')}`)
  }
  return {
    runStyleOf: (name = '') => runStyles.get(name) ?? {},
    isTitle: (name = '') => titles.has(name),
    isOrdered: (name, depth) => ordered.has(`${name}/${depth + 1}`),
  }
}

function readRunStyle(properties: Element | undefined): Omit<Run, 'text'> {
  const weight = attribute(properties, 'font-weight')
  const line = attribute(properties, 'text-line-through-style') ?? 'none'
  return {
    ...(weight === 'bold' || Number(weight) >= 600 ? { isBold: true } : {}),
    ...(attribute(properties, 'font-style') === 'italic' ? { isItalic: true } : {}),
    ...(line === 'none' ? {} : { isStruck: true }),
  }
}
