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
import type { CodePart, CodeRequest } from './code-part.ts'

const highlighter = createLowlight({
  ...{ bash, c, cpp, csharp, css, diff, go, ini, java, javascript, json, kotlin, php, python, ruby, rust, sql, swift },
  ...{ typescript, xml, yaml },
})

/** Deeper parts are joined into one text: neither messages nor pages can be nested as deeply as a malicious file. */
const maxDepth = 50

type Node = RootContent | ElementContent

function toParts(nodes: readonly Node[], depth: number): CodePart[] {
  return nodes.flatMap((node): CodePart[] => {
    if (node.type === 'text') return [node.value]
    if (node.type !== 'element') return []
    const [kind] = Array.isArray(node.properties.className) ? node.properties.className : []
    const parts = depth < maxDepth ? toParts(node.children, depth + 1) : [textOf(node.children)]
    return [{ kind: String(kind), parts }]
  })
}

function textOf(nodes: readonly Node[]): string {
  let text = ''
  const left = nodes.toReversed()
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.type === 'text') text += node.value
    else if (node.type === 'element') left.push(...node.children.toReversed())
  }
  return text
}

addEventListener('message', ({ data: { text, language } }: MessageEvent<CodeRequest>) => {
  postMessage(highlighter.registered(language) ? toParts(highlighter.highlight(language, text).children, 0) : undefined)
})
