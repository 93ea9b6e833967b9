import type { MarkedToken, Token } from 'marked'
import { createElement, Fragment, type ReactNode, Suspense, useMemo } from 'react'
import { Square, SquareCheck } from '#icons'
import { messages } from '../../messages/messages.ts'
import { LazyCode } from './lazy-code.ts'
import { type Levels, nextHeading } from './next-heading.ts'
import { decodeReferences, isKnownToken, readMarkdown, safeLink } from './read-markdown.ts'
import { ScrollingTable } from './ScrollingTable.tsx'
import { chooseTextForm } from './text-form.ts'

/** Deeper levels are shown as their source, because browsers cannot lay out thousands. */
const maxDepth = 50

/**
 * Markdown as elements. Every element is created here from a fixed list, so nothing has to be removed: markup in the
 * file is text, pictures are their description, and links lead to the web only.
 */
export function MarkdownView({ text }: { text: string }) {
  const content = useMemo(() => {
    const tokens = readMarkdown(text)
    return tokens === undefined ? text : renderAll(tokens, { last: 1 }, 0)
  }, [text])
  return <div className="flex flex-col gap-3 text-base leading-relaxed">{content}</div>
}

function renderAll(tokens: readonly Token[], levels: Levels, depth: number): ReactNode {
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move.
    <Fragment key={at}>
      {isKnownToken(token) && depth < maxDepth ? renderOne(token, levels, depth + 1) : token.raw}
    </Fragment>
  ))
}

function renderOne(token: MarkedToken, levels: Levels, depth: number): ReactNode {
  const inner = (tokens: readonly Token[]) => renderAll(tokens, levels, depth)
  switch (token.type) {
    case 'heading': {
      const { element, className } = nextHeading(levels, token.depth)
      return createElement(element, { className }, inner(token.tokens))
    }
    case 'paragraph':
      return <p>{inner(token.tokens)}</p>
    case 'strong':
      return <strong className="font-semibold">{inner(token.tokens)}</strong>
    case 'em':
      return <em>{inner(token.tokens)}</em>
    case 'del':
      return <del>{inner(token.tokens)}</del>
    case 'br':
      return <br />
    case 'hr':
      return <hr className="border-line" />
    case 'codespan':
      return <code className="rounded-sm bg-sunken px-1 py-0.5 font-mono text-sm">{token.text}</code>
    case 'code':
      return <CodeBlock text={token.text} language={token.lang ?? ''} />
    case 'blockquote':
      return (
        <blockquote className="flex flex-col gap-3 border-line-strong border-l-2 pl-4 text-ink-soft">
          {inner(token.tokens)}
        </blockquote>
      )
    case 'list': {
      const items = token.items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: see above.
        <li key={at} className={item.task ? '-ml-6 list-none' : undefined}>
          {inner(item.tokens)}
        </li>
      ))
      return token.ordered ? (
        <ol start={token.start === '' ? 1 : token.start} className="flex list-decimal flex-col gap-1 pl-6">
          {items}
        </ol>
      ) : (
        <ul className="flex list-disc flex-col gap-1 pl-6">{items}</ul>
      )
    }
    case 'checkbox': {
      const Icon = token.checked ? SquareCheck : Square
      const label = token.checked ? messages.preview.markdownDone : messages.preview.markdownOpen
      return (
        <Icon role="img" aria-label={label} size={16} className="mr-2 inline-block align-[-0.15em] text-ink-soft" />
      )
    }
    case 'table':
      return (
        <ScrollingTable>
          <thead>
            <tr>
              {token.header.map((one, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above.
                <th key={at} scope="col" className={`${cell} bg-sunken text-left font-semibold`}>
                  {inner(one.tokens)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {token.rows.map((row, line) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above.
              <tr key={line}>
                {row.map((one, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above.
                  <td key={at} className={cell}>
                    {inner(one.tokens)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
      )
    case 'link': {
      const href = safeLink(token.autolink === true ? token.href : decodeReferences(token.href))
      if (href === undefined) return inner(token.tokens)
      return (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-accent-ink underline">
          {inner(token.tokens)}
        </a>
      )
    }
    case 'image':
      // Never loaded: it would report the reader to another host.
      return <span className="text-ink-soft">{messages.preview.markdownPicture(decodeReferences(token.text))}</span>
    case 'text':
      return token.tokens === undefined ? decodeReferences(token.text) : inner(token.tokens)
    case 'escape':
      return token.text
    case 'html':
      return <code className="font-mono text-ink-soft text-sm">{token.text}</code>
    case 'list_item':
      return inner(token.tokens)
    default:
      return undefined
  }
}

const cell = 'border border-line px-3 py-1.5'

function CodeBlock({ text, language }: { text: string; language: string }) {
  const form = chooseTextForm(`a.${language}`, null)
  const name = form.kind === 'code' ? form.language : language
  return (
    <section
      aria-label={messages.preview.markdownCode}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
      tabIndex={0}
      className="overflow-x-auto rounded-lg bg-sunken p-3"
    >
      <pre className="font-mono text-sm">
        <Suspense fallback={text}>{name === '' ? text : <LazyCode text={text} language={name} />}</Suspense>
      </pre>
    </section>
  )
}
