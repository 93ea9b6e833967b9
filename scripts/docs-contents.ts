// The pages of the documentation and their order. docs/README.md is the only list: it guides readers of plain files, the site
// builds its navigation from it, and a test finds any page missing from it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/** A link of the contents. The path is relative to the repository, with the anchor if there is one. */
export type ContentsEntry = { text: string; path: string }
export type ContentsSection = { title: string; entries: ContentsEntry[] }

/** Pages outside docs/ that the site also has. */
const outerPages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']

/** Reads the sections of docs/README.md. */
export function readContents(): ContentsSection[] {
  const [, ...sections] = readFileSync(join(root, 'docs/README.md'), 'utf8').split(/^## /m)
  return sections.map((section) => ({
    title: section.split('\n', 1)[0] ?? '',
    entries: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, text = '', link = '']) => ({
      text,
      path: join('docs', link).split(sep).join('/'),
    })),
  }))
}

/** Lists the decisions by number, with their titles. */
export function listDecisions(): ContentsEntry[] {
  return listPages()
    .filter((path) => /^docs\/decisions\/\d/.test(path))
    .sort()
    .map((path) => {
      const [title = ''] = readFileSync(join(root, path), 'utf8').split('\n', 1)
      return { text: title.replace(/^# (\d{4}):? /, '$1 '), path }
    })
}

/** Lists every page below docs/. */
export function listPages(): string[] {
  return readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.split(sep).join('/')}`)
}

/**
 * Returns the path of a page on the site: `docs/how-to/sdk.md` is `how-to/sdk.md`, a README of
 * docs/ is the index of its folder, and pages outside of docs/ are below `project/`.
 */
export function sitePath(page: string): string {
  const path = page.startsWith('docs/') ? page.slice('docs/'.length) : `project/${page.toLowerCase()}`
  return path.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** The target of a link on the site: another page, a copied file, or nothing, for folders. */
export type SiteTarget = { kind: 'page' | 'file'; url: string } | { kind: 'none' }

/** Finds the target of a link to a path of the repository. Throws if there is none. */
export function siteTarget(path: string): SiteTarget {
  const isPage = path.startsWith('docs/') || outerPages.includes(path)
  const page = existsSync(join(root, path, 'README.md')) && isPage ? `${path}/README.md` : path
  if (!existsSync(join(root, page))) throw new Error(`The link target ${path} does not exist`)
  if (isPage && page.endsWith('.md'))
    return { kind: 'page', url: `/${sitePath(page).replace(/(?:(^|\/)index)?\.md$/, '$1')}` }
  if (statSync(join(root, page)).isDirectory()) return { kind: 'none' }
  // Servers show it as a text file, whatever its name.
  return { kind: 'file', url: `/files/${page}${page.endsWith('.json') ? '' : '.txt'}` }
}

/** The anchor of a heading, as GitHub makes it. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}
