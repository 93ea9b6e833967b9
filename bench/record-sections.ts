/** Figures of one bench, as Markdown. */
export type Section = { name: string; text: string }

const marker = '<!-- measured -->'

/**
 * Returns the page of benchmarks with the measured sections replaced. Keeps the others, and what people wrote below the
 * table of a section.
 */
export function recordSections(page: string, measured: readonly Section[]): string {
  const [before = '', after = ''] = page.split(marker)
  const sections = new Map<string, string>()
  for (const part of after.split(/^### /m).slice(1)) {
    const end = part.indexOf('\n')
    sections.set(part.slice(0, end).trim(), part.slice(end).trim())
  }
  for (const { name, text } of measured) {
    const written = writtenBelow(sections.get(name) ?? '')
    sections.set(name, written === '' ? text : `${text}\n\n${written}`)
  }
  return `${before}${marker}\n${[...sections].map(([name, text]) => `\n### ${name}\n\n${text}\n`).join('')}`
}

/** The text after the table. */
function writtenBelow(section: string): string {
  const lines = section.split('\n')
  const table = lines.findIndex((line) => line.startsWith('|'))
  const end = lines.findIndex((line, at) => table >= 0 && at > table && !line.startsWith('|'))
  return end < 0 ? '' : lines.slice(end).join('\n').trim()
}
