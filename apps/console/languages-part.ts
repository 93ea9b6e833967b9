import { fileURLToPath } from 'node:url'
import { type Plugin, runnerImport } from 'vite'

const source = (path: string) => fileURLToPath(new URL(`src/messages/${path}`, import.meta.url))

/** What the script of the page's head knows of a language. */
type OfferedLanguage = {
  dir: string
  /** The script with its texts. English has none, and development has no scripts. */
  script?: string
}

/**
 * Names the languages of `src/messages/languages.ts` in the page, so that `first-paint.js` chooses one before anything is
 * drawn, and loads its texts while the console is loaded.
 */
export function languagesPart(): Plugin {
  return {
    name: 'cairn:languages-part',
    transformIndexHtml: {
      order: 'post',
      async handler(page, { bundle = {} }) {
        const { module } = await runnerImport<{ languages: object }>(source('languages.ts'), { configFile: false })
        const scripts = new Map(
          Object.values(bundle).flatMap((file) =>
            file.type === 'chunk' && file.facadeModuleId !== null ? [[file.facadeModuleId, `/${file.fileName}`]] : [],
          ),
        )
        const offered = Object.keys(module.languages).map((tag): [string, OfferedLanguage] => {
          const dir = new Intl.Locale(tag).getTextInfo().direction
          const script = tag === 'en' ? undefined : scripts.get(source(`${tag}/${tag}.ts`))
          return [tag, { dir, ...(script === undefined ? {} : { script }) }]
        })
        const json = JSON.stringify(Object.fromEntries(offered)).replaceAll('"', '&quot;')
        return page.replace('<html lang="en"', `$& data-languages="${json}"`)
      },
    },
  }
}
