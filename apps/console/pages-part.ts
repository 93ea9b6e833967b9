import { fileURLToPath } from 'node:url'
import { type Plugin, runnerImport } from 'vite'

/** The file of a build that lists its pages: the service answers their paths with the console. */
const pagesFile = 'pages.json'

/** A page as the build lists it. Names of parameters in a path start with `$`. */
type ListedPage = {
  path: string
  needsWallet: boolean
  title?: string | undefined
  section?: string | undefined
  shortcut?: string | undefined
}

/** The part of `src/pages.ts` that is listed. Its types belong to the browser, so they are stated here. */
type PageRoute = {
  options: {
    path: string
    staticData: { page: { needsWallet: boolean; entry?: { title: () => string; section: string; shortcut?: string } } }
  }
  children?: readonly PageRoute[]
}

/** Adds the list of the pages to a build, from the record that the router uses. */
export function pagesPart(): Plugin {
  return {
    name: 'cairn:pages-part',
    apply: 'build',
    async generateBundle() {
      const source = fileURLToPath(new URL('src/pages.ts', import.meta.url))
      const { module } = await runnerImport<{ pages: Record<string, PageRoute> }>(source, { configFile: false })
      const pages = Object.values(module.pages).flatMap((route) => listPages(route, ''))
      this.emitFile({ type: 'asset', fileName: pagesFile, source: `${JSON.stringify(pages, undefined, 2)}\n` })
    },
  }
}

function listPages({ options, children = [] }: PageRoute, parent: string): ListedPage[] {
  const path = `${parent}/${options.path.replace(/^\//, '')}`
  const { needsWallet, entry } = options.staticData.page
  const { title, section, shortcut } = entry ?? {}
  return [
    { path, needsWallet, title: title?.(), section, shortcut },
    ...children.flatMap((child) => listPages(child, path)),
  ]
}
