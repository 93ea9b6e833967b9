import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveConfig } from 'vitepress'
import { expect, test } from 'vitest'
import { listDecisions, listPages, readContents, root, sitePath, siteTarget } from './docs-contents.ts'
import { findOutsideLoads } from './docs-loads.ts'

type Item = { text?: string; link?: string; items?: Item[] }
const linksOf = (items: readonly Item[]): string[] =>
  items.flatMap(({ link, items: inner = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(inner)])

test('the navigation of the site lists every page below docs/', async () => {
  const { site } = await resolveConfig(join(root, 'docs'), 'build', 'production')
  const sidebar: Record<string, Item[]> = site.themeConfig.sidebar
  const links = new Set(linksOf(sidebar['/decisions/'] ?? []))
  const forgotten = listPages().filter((page) => {
    const target = siteTarget(page)
    return page !== 'docs/README.md' && (target.kind !== 'page' || !links.has(target.url))
  })
  expect(forgotten).toEqual([])
  // The sections are those of docs/README.md, which other readers follow.
  const sections = readContents()
  expect(sections.map(({ title }) => title)).toEqual(['Start', 'Guides', 'Reference', 'Operate', 'Internals'])
  for (const items of Object.values(sidebar)) {
    expect(items.map(({ text }) => text)).toEqual(sections.map(({ title }) => title))
    expect(items.map(({ items: inner = [] }) => inner.map(({ text }) => text))).toEqual(
      sections.map(({ entries }) => entries.map(({ text }) => text)),
    )
  }
  expect(linksOf(sidebar['/'] ?? [])).toHaveLength(links.size - listDecisions().length)
})

test('every page has its own path', () => {
  const pages = [...listPages(), 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].map(sitePath)
  expect(new Set(pages).size).toBe(pages.length)
  expect(sitePath('docs/README.md')).toBe('index.md')
  expect(siteTarget('docs/decisions')).toEqual({ kind: 'page', url: '/decisions/' })
  expect(siteTarget('docs/openapi.json')).toEqual({ kind: 'file', url: '/files/docs/openapi.json' })
  expect(siteTarget('examples')).toEqual({ kind: 'none' })
  expect(() => siteTarget('docs/no-such-page.md')).toThrow('does not exist')
})

test('finds what a page would load from other hosts, and no links', () => {
  const page = `<a href="https://a.example/"></a><link rel="stylesheet" href="https://b.example/b.css"><img alt=""
    src="//c.example/c.png"><script src="/assets/d.js"></script><style>@font-face { src: url(https://e.example/e.woff2) }</style>`
  expect(findOutsideLoads(page)).toEqual(['https://b.example/b.css', '//c.example/c.png', 'https://e.example/e.woff2'])
})

test('the site is built into an ignored folder, with no package of a running network', () => {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n')
  expect(ignored).toContain('build/')
  const lock: { packages: Record<string, { dev?: boolean }> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  for (const name of ['vitepress', 'vue', 'shiki']) expect(lock.packages[`node_modules/${name}`]?.dev, name).toBe(true)
})
