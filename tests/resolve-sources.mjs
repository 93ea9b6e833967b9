// Resolves imports of sources of this repository, and of parts of Node, itself. Vitest's own hook, which runs after this
// one, sends each of them to the main process for its watch mode, and gives each test file a new URL, which misses Node's
// compile cache. JavaScript, because Node's type compiler is loaded by the first file that is not in the cache.
import { isBuiltin, registerHooks } from 'node:module'

const root = new URL('..', import.meta.url).href
const format = 'module-typescript'
/** Workspaces resolve to the same place from everywhere. */
const workspaces = new Map()

registerHooks({
  resolve(specifier, context, next) {
    if (isBuiltin(specifier)) {
      const url = specifier.startsWith('node:') ? specifier : `node:${specifier}`
      return { url, format: 'builtin', shortCircuit: true }
    }
    const { parentURL = '' } = context
    if (/^\.\.?\/.*\.ts$/.test(specifier) && parentURL.startsWith(root) && !parentURL.includes('/node_modules/'))
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
    const [file, mark] = specifier.split(/%3Fvitest=(?=\d+$)/)
    if (mark !== undefined && file.endsWith('.ts')) return { url: file, format, shortCircuit: true }
    if (!specifier.startsWith('@cairn/')) return next(specifier)
    const known = workspaces.get(specifier) ?? { ...next(specifier), shortCircuit: true }
    workspaces.set(specifier, known)
    return known
  },
})
