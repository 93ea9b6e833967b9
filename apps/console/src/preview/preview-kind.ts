/** Kind of preview. Everything outside of the lists is `none`: details and a download. */
export type PreviewKind = 'text' | 'image' | 'svg' | 'pdf' | 'office' | 'audio' | 'video' | 'none'

/** A kind of preview, with the fixed type of its bytes. None of them can run in a page. */
export type PreviewForm = { kind: PreviewKind; type: string }

const none: PreviewForm = { kind: 'none', type: 'application/octet-stream' }
const text: PreviewForm = { kind: 'text', type: 'text/plain' }
const svg: PreviewForm = { kind: 'svg', type: 'image/svg+xml' }
/** Drawn by our own reader; its bytes never get this type in a URL. */
const pdf: PreviewForm = { kind: 'pdf', type: 'application/octet-stream' }
/** Read by our own reader, too: documents, workbooks, presentations and books. */
const office: PreviewForm = { kind: 'office', type: 'application/octet-stream' }
const officeTypes =
  /^application\/(vnd\.openxmlformats-officedocument\.(wordprocessingml\.document|spreadsheetml\.sheet|presentationml\.presentation)|vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)|epub\+zip)$/
const officeEndings = /^(doc|xls|ppt)[xm]$|^epub$|^od[tsp]$/

/** Types with an element of the browser, by the extensions of their files. */
const endingsByType: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png', 'apng'],
  'image/jpeg': ['jpg', 'jpeg', 'jfif'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/avif': ['avif'],
  'image/bmp': ['bmp'],
  'image/x-icon': ['ico'],
  'audio/mpeg': ['mp3'],
  'audio/mp4': ['m4a'],
  'audio/ogg': ['oga', 'ogg', 'opus'],
  'audio/wav': ['wav'],
  'audio/flac': ['flac'],
  'audio/aac': ['aac'],
  'video/mp4': ['mp4', 'm4v', 'mov'],
  'video/webm': ['webm'],
  'video/ogg': ['ogv'],
}

/** Aliases of the same types. */
const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-flac': 'audio/flac',
  // Videos of cameras and phones: another name for the same container.
  'video/quicktime': 'video/mp4',
  'application/x-pdf': 'application/pdf',
}

const textTypes =
  /^(text\/.*|application\/(json|ld\+json|xml|xhtml\+xml|javascript|ecmascript|x-sh|x-yaml|yaml|toml|sql|x-ndjson|.*\+json|.*\+xml))$/
const textEndings =
  /^(txt|text|md|markdown|rst|adoc|csv|tsv|log|(geo)?json|json[5cl]|ndjson|ipynb|xml|xs[dl]|rss|html?|xhtml|css|scss|less|[cm]?js|jsx|[cm]?ts|tsx|vue|svelte|ya?ml|toml|ini|cfg|conf|env|properties|lock|sh|bash|zsh|fish|bat|ps1|py|rb|rs|go|java|kts?|gradle|groovy|scala|clj|dart|swift|exs?|erl|hs|elm|jl|c|cc|cpp|h|hpp|cs|fs|php|pl|lua|r|sql|sol|vy|proto|graphql|tf|tex|bib|diff|patch|srt|vtt|ics|vcf|pem|asc)$/
/** Usual names of texts without an extension, and those of settings, which begin with a dot. */
const textNames =
  /^(readme|license|licence|copying|notice|authors|changelog|todo|makefile|dockerfile|procfile|gemfile|rakefile|\..+(rc|ignore|attributes|config))$/i

function toForm(type: string): PreviewForm {
  const known = aliases[type] ?? type
  if (known === svg.type) return svg
  if (known === 'application/pdf') return pdf
  if (officeTypes.test(known)) return office
  if (!Object.hasOwn(endingsByType, known)) return none
  if (known.startsWith('image/')) return { kind: 'image', type: known }
  return { kind: known.startsWith('audio/') ? 'audio' : 'video', type: known }
}

/**
 * Chooses the preview of a file by its type or, without one, by the extension of its name. HTML is text: its source is
 * shown, and it never runs.
 */
export function choosePreview(name: string, mimeType: string | null): PreviewForm {
  const type = (mimeType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const byType = toForm(type)
  if (byType.kind !== 'none') return byType
  if (textTypes.test(type)) return text
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  if (ending === 'svg') return svg
  if (ending === 'pdf') return pdf
  if (officeEndings.test(ending)) return office
  for (const [known, endings] of Object.entries(endingsByType)) if (endings.includes(ending)) return toForm(known)
  return textEndings.test(ending) || textNames.test(name) ? text : none
}
