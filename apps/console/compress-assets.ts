import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const compressible = /\.(?:js|css|html|svg|json|txt)$/
const minBytes = 1024

/** Writes a `.br` and a `.gz` next to each text file of a build, so that no request waits for a compressor. */
export function compressAssets(): Plugin {
  return {
    name: 'cairn:compress-assets',
    apply: 'build',
    // Reads the written files: other plugins change chunks until the very end.
    async writeBundle({ dir = '' }, bundle) {
      await Promise.all(
        Object.keys(bundle)
          .filter((name) => compressible.test(name))
          .map((name) => compress(join(dir, name))),
      )
    },
  }
}

async function compress(path: string): Promise<void> {
  const source = await readFile(path)
  if (source.length < minBytes) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: 6 }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(source, { params }))
  await writeFile(`${path}.gz`, await promisify(gzip)(source, { level: 9 }))
}
