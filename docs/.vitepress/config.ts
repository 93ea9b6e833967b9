// The documentation as a site: `npm run docs:site`. Its pages are the Markdown files of the repository, its navigation is
// docs/README.md.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { type DefaultTheme, defineConfig, type MarkdownRenderer } from 'vitepress'
import {
  type ContentsEntry,
  listDecisions,
  readContents,
  root,
  sitePath,
  siteTarget,
  toAnchor,
} from '../../scripts/docs-contents.ts'

const contents = readContents()
const decisionsIndex = 'docs/decisions/README.md'

/** The icon of the console, within each page. */
const logo = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(root, 'apps/console/public/favicon.svg'), 'utf8'))}`

/** Files that pages link to and that are no pages: their paths in the repository, by their paths on the site. */
const linkedFiles = new Map<string, string>()

export default defineConfig({
  title: 'Cairn',
  description: 'Decentralised file storage that anyone can run',
  lang: 'en',
  srcDir: root,
  srcExclude: ['{apps,bench,build,coverage,deploy,examples,optional,packages,scripts,services,tests}/**'],
  outDir: join(root, 'build/docs-site'),
  cacheDir: join(root, '.cache/docs-site'),
  rewrites: sitePath,
  head: [['link', { rel: 'icon', href: logo }]],
  markdown: {
    // As on GitHub, so that a link to a heading works in both places.
    anchor: { slugify: toAnchor },
    config(markdown) {
      resolveLinks(markdown)
      addDecisions(markdown)
    },
  },
  themeConfig: {
    logo,
    search: {
      provider: 'local',
      options: {
        // Every word counts, and a heading more than the text below it.
        miniSearch: {
          searchOptions: { combineWith: 'AND', fuzzy: 0.15, prefix: true, boost: { title: 8, titles: 3, text: 1 } },
        },
      },
    },
    outline: [2, 3],
    nav: contents.flatMap(({ title, entries: [first] }) =>
      first === undefined ? [] : [{ text: title, link: toLink(first).link }],
    ),
    // Only the pages of decisions list all of them: every page contains its sidebar.
    sidebar: {
      '/': createSidebar([]),
      '/decisions/': createSidebar(listDecisions()),
    },
  },
  buildEnd({ outDir }) {
    for (const [url, path] of linkedFiles) {
      const target = join(outDir, url)
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(join(root, path), target)
    }
  },
})

function createSidebar(decisions: readonly ContentsEntry[]): DefaultTheme.SidebarItem[] {
  return contents.map(({ title, entries }) => ({
    text: title,
    items: entries.map((entry) =>
      entry.path === decisionsIndex && decisions.length > 0
        ? { ...toLink(entry), items: decisions.map(toLink) }
        : toLink(entry),
    ),
  }))
}

function toLink({ text, path }: ContentsEntry): { text: string; link: string } {
  const [file = '', anchor] = path.split('#')
  const target = siteTarget(file)
  if (target.kind !== 'page') throw new Error(`docs/README.md lists ${path}, which is no page`)
  return { text, link: target.url + (anchor === undefined ? '' : `#${anchor}`) }
}

/** Links of pages are relative to their place in the repository; on the site they are absolute. */
function resolveLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('cairn_links', ({ tokens, env }) => {
    const source: unknown = env.realPath ?? env.path
    if (typeof source !== 'string') return
    const page = relative(root, source).split(sep).join('/')
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === 'link_open' ? token.attrGet('href') : null
      if (link === null || /^(?:[a-z]+:|#|\/)/.test(link)) continue
      const [path = '', anchor] = link.split('#')
      const file = posix.join(posix.dirname(page), decodeURI(path))
      const target = siteTarget(file)
      if (target.kind === 'none') token.attrs = null
      else token.attrSet('href', target.url + (anchor === undefined ? '' : `#${anchor}`))
      if (target.kind !== 'file') continue
      linkedFiles.set(target.url, file)
      token.attrSet('target', '_blank')
    }
  })
}

/** The folder of decisions is its own list in the repository; the site needs a page. */
function addDecisions(markdown: MarkdownRenderer): void {
  markdown.core.ruler.before('normalize', 'cairn_decisions', (state) => {
    if (state.env.relativePath !== 'decisions/index.md') return
    const list = listDecisions().map(({ text, path }) => `- [${text}](${posix.basename(path)})`)
    state.src += `\n## All decisions\n\n${list.join('\n')}\n`
  })
}
