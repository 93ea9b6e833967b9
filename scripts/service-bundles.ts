import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, findPackageJSON } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nameProgramsIn, programSource } from '@cairn/local'
import { build, type Plugin } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
const nodeVersion = 24

/** What gets its own folder below `build/`. */
type ServiceBundle = {
  /** Sources of the programs, by the name that they get. */
  readonly programs: Readonly<Record<string, string>>
  /** Sources that run on threads or in their own processes, beside the programs. */
  readonly threads: readonly string[]
  /** Folders that are copied as they are: source, and name in the bundle. */
  readonly assets: Readonly<Record<string, string>>
  /** Packages to copy instead of bundling, because they have a library per platform, with the package that depends on them. */
  readonly copied: Readonly<Record<string, string>>
  /** Packages that an operator may install into the bundle, with the package that pins their version. */
  readonly optional: Readonly<Record<string, string>>
}

const hashing = { '@chainsafe/as-sha256': 'packages/pieces', '@chainsafe/hashtree': 'packages/pieces' }

/** Every service that is deployed separately. */
export const serviceBundles = {
  storage: {
    programs: {
      storage: 'services/storage/src/main.ts',
      admin: 'services/storage/src/admin-main.ts',
      maintain: 'services/storage/src/maintain-main.ts',
      reconcile: 'services/storage/src/reconcile-main.ts',
      contract: 'services/storage/src/contract-main.ts',
    },
    threads: [
      'services/storage/src/packs/reading/hash-thread.ts',
      'services/storage/src/pieces/piece-thread.ts',
      'services/storage/src/s3/checksums/digest-thread.ts',
      'services/storage/src/pictures/picture-process.ts',
    ],
    assets: { 'services/storage/src/service/docs': 'docs' },
    copied: { ...hashing, sharp: 'optional/pictures' },
    optional: { '@filoz/synapse-core': 'services/storage' },
  },
  keynode: {
    programs: {
      keynode: 'services/keynode/src/main.ts',
      'keynode-admin': 'services/keynode/src/keynode-admin-main.ts',
    },
    threads: [],
    assets: {},
    copied: {},
    optional: {},
  },
  keyrouter: {
    programs: { keyrouter: 'services/keynode/src/router/main.ts' },
    threads: [],
    assets: {},
    copied: {},
    optional: {},
  },
  provider: {
    programs: { provider: 'services/provider/src/main.ts' },
    threads: ['services/provider/src/pieces/hash-thread.ts'],
    assets: {},
    copied: hashing,
    optional: {},
  },
} as const satisfies Record<string, ServiceBundle>

type ServiceName = keyof typeof serviceBundles

type Manifest = {
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

/**
 * Builds a service into `folder`: JavaScript that Node runs without an installation, its threads and pages, and the few packages
 * that have a library per platform, for this platform.
 */
export async function buildService(name: ServiceName, folder: string): Promise<void> {
  const bundle: ServiceBundle = serviceBundles[name]
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const programs = Object.entries(bundle.programs).map(([out, path]) => ({ in: `${programPrefix}${path}`, out }))
  const threads = bundle.threads.map((path) => ({ in: path, out: programName(path) }))
  const unbundled = [...Object.keys(bundle.copied), ...Object.keys(bundle.optional)]
  await build({
    absWorkingDir: root,
    entryPoints: [...programs, ...threads],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${nodeVersion}`,
    conditions: ['@cairn/source'],
    // V8 keeps the text of each loaded file. Names stay, so that a stack trace can be read. The option `keepNames` would name each
    // closure when it is created, which takes 0.4 µs, and an upload creates hundreds.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: 'linked',
    // Source maps give lines in stack traces; the sources themselves would triple the folder.
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'error',
    // pg looks for its native counterpart and works without it.
    external: [...unbundled, ...unbundled.map((one) => `${one}/*`), 'pg-native'],
    banner: {
      js: "import { createRequire as cairnCreateRequire } from 'node:module'; const require = cairnCreateRequire(import.meta.url);",
    },
    plugins: [checkNode, nameThreads(bundle.threads)],
  })
  for (const [path, target] of Object.entries(bundle.assets)) {
    cpSync(join(root, path), join(folder, target), { recursive: true })
  }
  for (const [dependency, from] of Object.entries(bundle.copied)) copyPackage(dependency, join(root, from), folder)
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(name, bundle), null, 2)}\n`)
}

const programPrefix = 'program:'

/** Starts each program with a check of Node: an older version would end with the stack of a missing module. */
const checkNode: Plugin = {
  name: 'check-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${programPrefix}`) }, ({ path }) => ({
      path: path.slice(programPrefix.length),
      namespace: 'program',
    }))
    onLoad({ filter: /.*/, namespace: 'program' }, ({ path }) => ({
      contents: `import { exit, stderr, versions } from 'node:process'
if (Number.parseInt(versions.node) < ${nodeVersion}) {
  stderr.write(\`Cairn needs Node ${nodeVersion} or newer, this is Node \${versions.node}\\nInstall it, and start the service with it.\\n\`)
  exit(78)
}
await import('./${path}')`,
      resolveDir: root,
    }))
  },
}

const programName = (path: string): string => basename(path, '.ts')

/** Sources refer to their threads by file; a bundle has them as JavaScript in one folder. */
function nameThreads(threads: readonly string[]): Plugin {
  const names = new Map(threads.map((path) => [join(root, path), programName(path)]))
  return {
    name: 'threads',
    setup({ onLoad }) {
      onLoad({ filter: programSource }, ({ path }) => {
        const contents = nameProgramsIn(readFileSync(path, 'utf8'), path, names)
        return contents === undefined ? undefined : { contents, loader: 'ts' }
      })
    },
  }
}

/** Copies an installed package and its dependencies into the bundle's own `node_modules`. */
function copyPackage(name: string, from: string, folder: string): void {
  const path = findPackageJSON(name, pathToFileURL(join(from, 'package.json')))
  if (path === undefined) throw new Error(`${name} is not installed`)
  const target = join(folder, 'node_modules', name)
  if (existsSync(target)) return
  cpSync(dirname(path), target, { recursive: true, dereference: true })
  const manifest = readManifest(path)
  for (const needed of Object.keys(manifest.dependencies ?? {})) copyPackage(needed, dirname(path), folder)
  // Only those for this platform are installed.
  for (const wanted of Object.keys(manifest.optionalDependencies ?? {})) {
    if (isInstalled(wanted, path)) copyPackage(wanted, dirname(path), folder)
  }
}

function isInstalled(name: string, from: string): boolean {
  return (createRequire(from).resolve.paths(name) ?? []).some((place) => existsSync(join(place, name, 'package.json')))
}

/** The bundle's own manifest: its programs, and the packages that are not in its files. */
function manifestOf(name: string, { programs, copied, optional }: ServiceBundle): object {
  const version = readManifest(join(root, 'package.json')).version
  const entries = Object.entries(optional)
  return {
    name: `@cairn/${name}-bundle`,
    version,
    private: true,
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: `>=${nodeVersion}` },
    bin: Object.fromEntries(Object.keys(programs).map((program) => [binName(program), `./${program}.js`])),
    dependencies: Object.fromEntries(
      Object.entries(copied).map(([dependency, from]) => [dependency, versionOf(dependency, from)]),
    ),
    peerDependencies: Object.fromEntries(entries.map(([peer, from]) => [peer, versionOf(peer, from)])),
    peerDependenciesMeta: Object.fromEntries(entries.map(([peer]) => [peer, { optional: true }])),
  }
}

const binName = (program: string): string => `cairn-${program}`

function versionOf(dependency: string, from: string): string {
  const { dependencies = {}, peerDependencies = {} } = readManifest(join(root, from, 'package.json'))
  const version = dependencies[dependency] ?? peerDependencies[dependency]
  if (version === undefined) throw new Error(`${from} does not name ${dependency}`)
  return version
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/**
 * Builds every service into a folder of its name below `build/`, the storage service with the web console.
 * @param consoleFolder of the built console
 */
export async function buildServices(consoleFolder: string): Promise<void> {
  const folder = join(root, 'build')
  for (const name of Object.keys(serviceBundles).filter(isServiceName)) await buildService(name, join(folder, name))
  cpSync(consoleFolder, join(folder, 'storage', 'console'), { recursive: true })
}

function isServiceName(name: string): name is ServiceName {
  return name in serviceBundles
}
