import { readdir, readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import { pdfDataFolders, pdfDataPath } from './src/preview/pdf/pdf-data.ts'

/** An interpreter of scripts, and decoders for browsers without WebAssembly, which the console has no use for. */
const unused = /quickjs|nowasm/i

/** Serves the data files of PDF.js: without them, scanned pages are blank and East Asian text is not drawn. */
export function pdfDataPart(): Plugin {
  return {
    name: 'cairn:pdf-data-part',
    async generateBundle() {
      for (const [fileName, path] of await listPdfData()) {
        this.emitFile({ type: 'asset', fileName, source: await readFile(path) })
      }
    },
    async configureServer({ middlewares }) {
      const files = await listPdfData()
      middlewares.use((request, response, next) => {
        const path = files.get((request.url ?? '').slice(1))
        if (path === undefined) next()
        else readFile(path).then((bytes) => response.end(bytes), next)
      })
    },
  }
}

/** The files on this machine by their path in a build. */
async function listPdfData(): Promise<Map<string, string>> {
  const description = findPackageJSON('pdfjs-dist', import.meta.url)
  if (description === undefined) throw new Error('pdfjs-dist is not installed')
  const { version }: { version: string } = JSON.parse(await readFile(description, 'utf8'))
  const files = new Map<string, string>()
  for (const folder of Object.values(pdfDataFolders)) {
    const source = join(dirname(description), folder)
    for (const name of await readdir(source)) {
      if (!unused.test(name)) files.set(`${pdfDataPath(version)}/${folder}/${name}`, join(source, name))
    }
  }
  return files
}
