/** Figures of one bench, as Markdown. */
export type Section = { name: string; text: string }

const marker = '<!-- measured -->'

/** Returns the page of benchmarks with the sections that were measured in place of their earlier ones; others stay. */
export function recordSections(page: string, measured: readonly Section[]): string {
  const [before = '', after = ''] = page.split(marker)
  const sections = new Map<string, string>()
  for (const part of after.split(/^### /m).slice(1)) {
    const end = part.indexOf('\n')
    sections.set(part.slice(0, end).trim(), part.slice(end).trim())
  }
  for (const { name, text } of measured) sections.set(name, text)
  return `${before}${marker}\n${[...sections].map(([name, text]) => `\n### ${name}\n\n${text}\n`).join('')}`
}
