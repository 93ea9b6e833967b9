import { Fragment, type ReactNode, useEffect, useState } from 'react'
import type { CodePart } from './code-part.ts'
import { findCodeParts } from './find-code-parts.ts'

/**
 * Colours by the kind of a part of the code, from the tokens of the theme, so that they have enough contrast in every theme and
 * accent.
 */
const colours: readonly [RegExp, string][] = [
  [/^hljs-(comment|quote|meta)$/, 'text-ink-faint italic'],
  [/^hljs-(keyword|built_in|type|tag|name|selector-.*|section)$/, 'text-accent-ink'],
  [/^hljs-(string|regexp|addition|symbol|bullet)$/, 'text-good'],
  [/^hljs-(number|literal|variable|template-variable|attr|attribute|property)$/, 'text-warn'],
  [/^hljs-deletion$/, 'text-bad'],
  [/^hljs-title$/, 'font-semibold'],
]

/** Code with colours, once they are found. Its parts become elements one by one, so no markup of the file is ever interpreted. */
export function CodeView({ text, language }: { text: string; language: string }) {
  const [parts, setParts] = useState<readonly CodePart[]>()
  useEffect(() => {
    const stop = new AbortController()
    setParts(undefined)
    void findCodeParts({ text, language }, stop.signal).then((found) => {
      if (!stop.signal.aborted) setParts(found)
    })
    return () => stop.abort()
  }, [text, language])
  return <>{parts === undefined ? text : renderParts(parts)}</>
}

function renderParts(parts: readonly CodePart[]): ReactNode {
  return parts.map((part, at) => {
    if (typeof part === 'string') return part
    const colour = colours.find(([pattern]) => pattern.test(part.kind))?.[1]
    const children = renderParts(part.parts)
    return colour === undefined ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move.
      <Fragment key={at}>{children}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above.
      <span key={at} className={colour}>
        {children}
      </span>
    )
  })
}
