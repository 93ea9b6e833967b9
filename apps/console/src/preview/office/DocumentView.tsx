import { createElement, Fragment, type ReactNode } from 'react'
import { messages } from '../../messages/messages.ts'
import { type Levels, nextHeading } from '../text/next-heading.ts'
import { safeLink } from '../text/read-markdown.ts'
import { ScrollingTable } from '../text/ScrollingTable.tsx'
import { useObjectUrl } from '../use-object-url.ts'
import type { Block, Run } from './document.ts'

/** A document without its layout. Each element is created here from a fixed list; links lead to the web only. */
export function DocumentView({ blocks }: { blocks: readonly Block[] }) {
  const levels = { last: 1 }
  return <div className="flex flex-col gap-3 text-base leading-relaxed">{renderAll(blocks, levels)}</div>
}

const cell = 'border border-line px-3 py-1.5 align-top'
const maxItemDepth = 8

function renderAll(blocks: readonly Block[], levels: Levels): ReactNode {
  const shown: ReactNode[] = []
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at]
    if (block?.kind !== 'item') {
      if (block !== undefined) shown.push(<Fragment key={at}>{renderOne(block, levels)}</Fragment>)
      continue
    }
    const items: Extract<Block, { kind: 'item' }>[] = []
    for (let one: Block | undefined = block; one?.kind === 'item'; one = blocks[at + items.length]) items.push(one)
    shown.push(<ItemList key={at} items={items} />)
    at += items.length - 1
  }
  return shown
}

/** Neighbouring items are one list; deeper ones are indented. */
function ItemList({ items }: { items: readonly Extract<Block, { kind: 'item' }>[] }) {
  return (
    <ul className="flex flex-col gap-1">
      {items.map(({ depth, number, runs }, at) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a document never move.
          key={at}
          className="flex gap-2"
          style={{ paddingInlineStart: `${Math.min(depth, maxItemDepth) * 1.5 + 0.5}rem` }}
        >
          <span className="shrink-0 text-ink-soft tabular">{number === undefined ? '•' : `${number}.`}</span>
          <span className="min-w-0 whitespace-pre-line break-words">{renderRuns(runs)}</span>
        </li>
      ))}
    </ul>
  )
}

function renderOne(block: Exclude<Block, { kind: 'item' }>, levels: Levels): ReactNode {
  switch (block.kind) {
    case 'heading': {
      const { element, className } = nextHeading(levels, block.level)
      return createElement(element, { className }, renderRuns(block.runs))
    }
    case 'paragraph':
      return <p className="whitespace-pre-line break-words">{renderRuns(block.runs)}</p>
    case 'table':
      return (
        <ScrollingTable>
          <tbody>
            {block.rows.map((row, line) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above.
              <tr key={line}>
                {row.map((blocks, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above.
                  <td key={at} className={cell}>
                    {renderAll(blocks, levels)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
      )
    case 'picture':
      return block.picture === undefined ? (
        <p className="text-ink-soft">{messages.preview.markdownPicture(block.text)}</p>
      ) : (
        <Picture picture={block.picture} text={block.text} />
      )
    case 'break':
      return <hr className="my-2 border-line" />
  }
}

function Picture({ picture, text }: { picture: Blob; text: string }) {
  const url = useObjectUrl(picture, picture.type)
  return url === undefined ? undefined : (
    <img src={url} alt={text} className="max-h-96 max-w-full self-start rounded-md" />
  )
}

function renderRuns(runs: readonly Run[]): ReactNode {
  return runs.map(({ text, isBold = false, isItalic = false, isStruck = false, href }, at) => {
    const link = href === undefined ? undefined : safeLink(href)
    let shown: ReactNode = text
    if (isBold) shown = <strong className="font-semibold">{shown}</strong>
    if (isItalic) shown = <em>{shown}</em>
    if (isStruck) shown = <del>{shown}</del>
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above.
      <Fragment key={at}>
        {link === undefined ? (
          shown
        ) : (
          <a href={link} target="_blank" rel="noopener noreferrer nofollow" className="text-accent-ink underline">
            {shown}
          </a>
        )}
      </Fragment>
    )
  })
}
