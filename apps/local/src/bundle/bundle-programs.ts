import { cp, mkdir, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { nameProgramsIn, programSource } from './name-programs.ts'

/** The parts of a bundle; paths are relative to `root`. */
export type ProgramBundle = {
  readonly root: string
  /** Sources of the programs, threads and child processes, by name in the bundle. */
  readonly programs: Readonly<Record<string, string>>
  /** Packages to leave outside: they have a library per platform, or are optional. */
  readonly external: readonly string[]
  /** Folders to copy: source, and name in the bundle. */
  readonly assets: Readonly<Record<string, string>>
}

/** The program that runs a network, and the programs that it starts. */
export const networkBundle: ProgramBundle = {
  root: resolve(import.meta.dirname, '../../../..'),
  programs: {
    network: 'apps/local/src/run-network.ts',
    keynode: 'services/keynode/src/main.ts',
    keyrouter: 'services/keynode/src/router/main.ts',
    provider: 'services/provider/src/main.ts',
    'provider-hash-thread': 'services/provider/src/pieces/hash-thread.ts',
    'hash-thread': 'services/storage/src/packs/reading/hash-thread.ts',
    'digest-thread': 'services/storage/src/s3/checksums/digest-thread.ts',
    'piece-thread': 'services/storage/src/pieces/piece-thread.ts',
    'picture-process': 'services/storage/src/pictures/picture-process.ts',
  },
  external: [
    '@chainsafe/as-sha256',
    '@chainsafe/hashtree',
    // Fastify requires it only on demand, which never happens.
    '@fastify/ajv-compiler',
    '@fastify/fast-json-stringify-compiler',
    '@filoz/synapse-core',
    '@opentelemetry',
    'pg-native',
    'sharp',
  ],
  assets: { 'services/storage/src/service/docs': 'docs' },
}

/** Writes the programs as JavaScript into `folder`, with the modules that several of them use in common files. */
export async function bundlePrograms(bundle: ProgramBundle, folder: string): Promise<void> {
  const { root, programs, external, assets } = bundle
  const build = await rolldown({
    cwd: root,
    input: { ...programs },
    platform: 'node',
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    // Without the condition `module`, which is meant for bundles that run on several platforms: pieces would be hashed in
    // WebAssembly, at a fifteenth of the speed.
    resolve: { conditionNames: ['@cairn/source', 'node', 'import', 'default'] },
    plugins: [nameProgramFiles(root, programs), importHttpAlone],
    logLevel: 'silent',
  })
  try {
    const { output } = await build.generate({
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      keepNames: true,
      comments: false,
      // Keeps names, so that stack traces can be read.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    })
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n')
    for (const file of output) {
      if (file.type === 'chunk') await writeFile(join(folder, file.fileName), escapeBeyondAscii(file.code))
    }
  } finally {
    await build.close()
  }
  for (const [path, target] of Object.entries(assets)) {
    await cp(join(root, path), join(folder, target), { recursive: true })
  }
}

/** A source refers to another program by its file; a bundle has the programs as JavaScript in one folder. */
function nameProgramFiles(root: string, programs: ProgramBundle['programs']): Plugin {
  const names = new Map(Object.entries(programs).map(([name, path]) => [join(root, path), name]))
  return {
    name: 'cairn:name-program-files',
    transform: {
      filter: { id: programSource },
      handler: (code, id) => nameProgramsIn(code, id, names) ?? null,
    },
  }
}

const httpAlone = '\0cairn:http'

/**
 * Omits the exports of `node:http` that Node loads on demand. An import reads all exports of a module, and
 * `WebSocket` loads all of `fetch`, about 6 MiB per process.
 */
const importHttpAlone: Plugin = {
  name: 'cairn:import-http-alone',
  resolveId: {
    filter: { id: /^node:http$/ },
    handler: (_source, _importer, { kind }) => (kind === 'require-call' ? null : httpAlone),
  },
  load(id) {
    if (id !== httpAlone) return null
    const exports = Object.entries(Object.getOwnPropertyDescriptors(http))
    const names = exports.filter(([, { get }]) => get === undefined).map(([name]) => name)
    return `const http = process.getBuiltinModule('node:http')
export default http
export const { ${names.join(', ')} } = http`
  },
}

/**
 * Writes each character beyond ASCII as an escape: a single one makes V8 keep the source as two bytes per character. The
 * meaning stays the same, except inside `String.raw`, where no source has such a character.
 */
export function escapeBeyondAscii(code: string): string {
  return code.replace(/(\\*)([^\0-\x7f])/g, (_all, slashes: string, character: string) => {
    // A backslash before such a character means the character itself.
    const kept = slashes.length % 2 === 1 ? slashes.slice(1) : slashes
    return `${kept}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
