import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { toAnchor } from '../../scripts/docs-contents.ts'

const root = resolve(import.meta.dirname, '../..')
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

/** A page without its code blocks, in which `#` is a comment and a link is not a link. */
function readProse(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^ *```[\s\S]*?^ *```/gm, '')
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...readProse(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => toAnchor(heading))
}

test.each(pages)('the links of %s lead to files and headings that exist', (page) => {
  for (const [, link = ''] of readProse(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : normalize(join(dirname(page), path))
    expect(existsSync(join(root, target)), link).toBe(true)
    if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor)
  }
})

test('the contents page lists every page once, except decisions', () => {
  const contents = readProse('docs/README.md')
  for (const page of pages) {
    const path = page.replace(/^docs\//, '')
    if (path === page || path === 'README.md' || path.startsWith('decisions/')) continue
    expect(contents.split(`](${path})`).length - 1, path).toBe(1)
  }
})
