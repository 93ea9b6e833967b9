/** How a text is shown: plain, as rendered Markdown, as a table, or as code of a language of the highlighter. */
export type TextForm =
  | { kind: 'plain' }
  | { kind: 'markdown' }
  | { kind: 'table'; separator: ',' | '\t' }
  | { kind: 'code'; language: string }

/** Languages of the highlighter, by the extensions of their files. */
const endingsByLanguage: Readonly<Record<string, string>> = {
  bash: 'sh bash zsh fish',
  c: 'c h',
  cpp: 'cc cpp hpp',
  csharp: 'cs',
  css: 'css scss less',
  diff: 'diff patch',
  go: 'go',
  ini: 'ini cfg conf toml',
  java: 'java',
  javascript: 'js cjs mjs jsx',
  json: 'json jsonl ndjson',
  kotlin: 'kt',
  php: 'php',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  sql: 'sql',
  swift: 'swift',
  typescript: 'ts cts mts tsx',
  xml: 'xml html htm xhtml svg vue svelte',
  yaml: 'yaml yml',
}
const languageByEnding = new Map(
  Object.entries(endingsByLanguage).flatMap(([language, endings]) =>
    endings.split(' ').map((ending) => [ending, language] as const),
  ),
)
const endingByType: Readonly<Record<string, string>> = {
  'text/markdown': 'md',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/html': 'html',
  'text/css': 'css',
  'text/javascript': 'js',
  'application/javascript': 'js',
  'application/json': 'json',
  'application/xml': 'xml',
  'text/xml': 'xml',
}

/** Chooses the form of a text by the extension of its name or, without a known one, by its type. */
export function chooseTextForm(name: string, mimeType: string | null): TextForm {
  const type = (mimeType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  return (
    formOf(ending) ?? formOf(Object.hasOwn(endingByType, type) ? (endingByType[type] ?? '') : '') ?? { kind: 'plain' }
  )
}

function formOf(ending: string): TextForm | undefined {
  if (ending === 'md' || ending === 'markdown') return { kind: 'markdown' }
  if (ending === 'csv') return { kind: 'table', separator: ',' }
  if (ending === 'tsv') return { kind: 'table', separator: '\t' }
  const language = languageByEnding.get(ending)
  return language === undefined ? undefined : { kind: 'code', language }
}
