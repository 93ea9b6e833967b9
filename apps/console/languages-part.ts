import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Plugin, runnerImport } from 'vite'
import type { Texts } from './src/messages/texts.ts'

const source = (path: string) => fileURLToPath(new URL(`src/messages/${path}`, import.meta.url))
const englishManifest = new URL('public/manifest.webmanifest', import.meta.url)
const manifestName = (tag: string) => `manifest.${tag}.webmanifest`

/** The facts about a language that the script in the page's head needs. */
type OfferedLanguage = {
  dir: string
  /** The script with its texts. English has none, and development has no scripts. */
  script?: string
  /** The manifest of the installed app. The page itself links to the English one. */
  manifest?: string
  /** What the page says if the console does not start, and the button that reloads it. */
  notStarted: string
  reload: string
}

/** Reads the texts of a language that the build writes into files. */
async function readAppTexts(tag: string): Promise<Texts['app']> {
  const { module } = await runnerImport<{ app: Texts['app'] }>(source(`${tag}/app.ts`), { configFile: false })
  return module.app
}

async function listLanguages(): Promise<string[]> {
  const { module } = await runnerImport<{ languages: object }>(source('languages.ts'), { configFile: false })
  return Object.keys(module.languages)
}

/**
 * Names the languages of `src/messages/languages.ts` in the page, so that `first-paint.js` chooses one before anything is
 * drawn, and loads its texts while the console is loaded. Writes what is shown without scripts in each of them.
 */
export function languagesPart(): Plugin {
  return {
    name: 'cairn:languages-part',
    async generateBundle() {
      const manifest: object = JSON.parse(await readFile(englishManifest, 'utf8'))
      for (const tag of await listLanguages()) {
        if (tag === 'en') continue
        const { description } = await readAppTexts(tag)
        const own = JSON.stringify({ ...manifest, lang: tag, description }, undefined, 2)
        this.emitFile({ type: 'asset', fileName: manifestName(tag), source: own })
      }
    },
    transformIndexHtml: {
      order: 'post',
      async handler(page, { bundle = {} }) {
        const tags = await listLanguages()
        const scripts = new Map(
          Object.values(bundle).flatMap((file) =>
            file.type === 'chunk' && file.facadeModuleId !== null ? [[file.facadeModuleId, `/${file.fileName}`]] : [],
          ),
        )
        const texts = new Map(await Promise.all(tags.map(async (tag) => [tag, await readAppTexts(tag)] as const)))
        const offered = [...texts].map(([tag, { notStarted, reload }]): [string, OfferedLanguage] => {
          const dir = new Intl.Locale(tag).getTextInfo().direction
          const script = tag === 'en' ? undefined : scripts.get(source(`${tag}/${tag}.ts`))
          const own = script === undefined ? {} : { script, manifest: `/${manifestName(tag)}` }
          return [tag, { dir, ...own, notStarted, reload }]
        })
        const json = JSON.stringify(Object.fromEntries(offered)).replaceAll('"', '&quot;')
        // Without scripts no language is chosen, so the page uses all of them.
        const sentences = [...texts].map(([tag, { needsScripts }]) => `<p lang="${tag}">${needsScripts}</p>`)
        return page
          .replace('<html lang="en"', `$& data-languages="${json}"`)
          .replace('<noscript>', `$&${sentences.join('')}`)
      },
    },
  }
}
