import type { ElementContent, RootContent } from 'hast'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import { Fragment, type ReactNode, useMemo } from 'react'

const highlighter = createLowlight({
  ...{ bash, c, cpp, csharp, css, diff, go, ini, java, javascript, json, kotlin, php, python, ruby, rust, sql, swift },
  ...{ typescript, xml, yaml },
})

/** Colours by what a part of the code is, from the tokens of the theme, so that every theme and accent passes. */
const colours: readonly [RegExp, string][] = [
  [/^hljs-(comment|quote|meta)$/, 'text-ink-faint italic'],
  [/^hljs-(keyword|built_in|type|tag|name|selector-.*|section)$/, 'text-accent-ink'],
  [/^hljs-(string|regexp|addition|symbol|bullet)$/, 'text-good'],
  [/^hljs-(number|literal|variable|template-variable|attr|attribute|property)$/, 'text-warn'],
  [/^hljs-deletion$/, 'text-bad'],
  [/^hljs-title$/, 'font-semibold'],
]

/** Code with colours. Its parts become elements one by one, so no markup of the file is ever interpreted. */
export function CodeView({ text, language }: { text: string; language: string }) {
  const parts = useMemo(
    () => (highlighter.registered(language) ? highlighter.highlight(language, text).children : undefined),
    [text, language],
  )
  return <>{parts === undefined ? text : renderParts(parts)}</>
}

function renderParts(parts: readonly (RootContent | ElementContent)[]): ReactNode {
  return parts.map((part, at) => {
    if (part.type === 'text') return part.value
    if (part.type !== 'element') return undefined
    const { className } = part.properties
    const [kind] = Array.isArray(className) ? className : []
    const colour = colours.find(([pattern]) => pattern.test(String(kind)))?.[1]
    const children = renderParts(part.children)
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
