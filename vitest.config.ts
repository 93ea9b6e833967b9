import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { failedFiles } from './tests/failed-files.ts'
import { filesOnDatabases } from './tests/files-on-databases.ts'
import { hasChromium } from './tests/has-chromium.ts'
import { SuitesFirst } from './tests/suites-first.ts'

/**
 * Files at a time, the same for both rings of `npm test`, so that they run as one queue. Two more than two cores, because files
 * often wait for the disk, for blocks and for deadlines: three kept the cores busy for three quarters of the time.
 */
const maxWorkers = Math.max(4, Math.min(availableParallelism(), 8))

/** Tests that drive a browser. Where the lockfile has none for this machine they are left out, and the run says so. */
const withBrowser = ['tests/browser/**', 'tests/console/**', 'tests/e2e/docs-page.test.ts']

/** Tests of the console that steer Chromium itself, or its virtual authenticator. */
const chromiumOnly = [
  'assistive',
  'installed',
  'passkeys',
  'resumable',
  'resumable-tabs',
  'ended-session',
  'budgets',
].map((name) => `tests/console/${name}.test.ts`)

/** Files of which the long ring runs more random cases and kills, and the largest examples. */
const repeated = [
  ...[
    'protocol/src/conditions/aggregator',
    'crypto/src/shards/shards',
    'crypto/src/signatures/signatures',
    'names/src/records',
  ],
  ...['pieces/src/aggregate', 'unixfs/src/hostile', 'unixfs/src/writing/import-vectors', 'contracts/src/payments'],
  'sdk/src/drive/random-devices',
]
  .map((path) => `packages/${path}.test.ts`)
  .concat('services/keynode/src/conditions/compare.test.ts')
  .concat(
    ['upload-kill', 'names-kill', 'network-random', 'payments-random'].map((name) => `tests/faults/${name}.test.ts`),
  )

/**
 * Tests create many buffers that are soon unused. Node collects its whole heap for every 64 MiB of them, which takes a third of
 * the processor time of tests that upload and download: here, it counts them with the heap, which begins large. Node 24 has
 * these flags; it would not start with unknown ones.
 */
const collectsLess = process.versions.node.startsWith('24.')
  ? ['--external-memory-accounted-in-global-limit', '--initial-old-space-size=256']
  : []

/** How much more. */
const more = { CAIRN_TEST_FUZZ: '20', CAIRN_TEST_KILLS: '100', CAIRN_TEST_PAYMENTS: '10000', CAIRN_TEST_FAULTS: '200' }

/**
 * Files that need a process of their own: ids of a process never go back, and other tests set clocks of their own ahead. What a
 * program reports as its peak of memory includes that of the process that started it.
 */
const alone = [
  'services/storage/src/files/files.test.ts',
  'packages/sdk/src/encryption/stream-memory.test.ts',
  'tests/faults/memory.test.ts',
]

/**
 * Files that repeat at length what others test: faults and kills at random moments, whole walks through the console, rare
 * wallets, drills of backup and restore on each engine. They would double the time of `npm test`; CI runs both rings.
 */
const thorough = [
  'tests/faults/**/*.test.ts',
  'tests/explorer/explorer.test.ts',
  'tests/console/{access,activity,assistive,conditions,contacts,decrypt,downloads,drive*,drops,encrypt}.test.ts',
  'tests/console/{ended-session,every-page*,faults,keyboard,languages,large-drive}.test.ts',
  'tests/console/{links,names,one-signature,open,passkeys,pay,previews,private,proofs,resumable*}.test.ts',
  'tests/console/{shell,solana,tabs}.test.ts',
  'tests/console/{transfers,upload-links,wallet-connect}.test.ts',
  'tests/docs/{cli-lines,example-types}.test.ts',
  'tests/e2e/{contract-owner,contract-safe,contract-wallets,service-processes,start-and-stop}.test.ts',
  'tests/lighthouse/kavach-shards.test.ts',
  'services/keynode/src/admin/rotate-secret.test.ts',
  'services/keynode/src/spares/replace-shards.test.ts',
  'services/provider/src/faults.test.ts',
  'services/storage/src/admin/rotate-secret.test.ts',
  'services/storage/src/backup/{backup,killed-backups,merged-on-s3,migrate-store}.test.ts',
  'services/storage/src/deals/{faults,lying-provider}.test.ts',
  'services/storage/src/gateway-links/private-uploads.test.ts',
  'services/storage/src/maintenance/{maintain-main,*-drills}.test.ts',
  'services/storage/src/objects/s3-service.test.ts',
  'services/storage/src/s3/objects/many-versions.test.ts',
  'packages/sdk/src/drive/view/view-work.test.ts',
]

type Ring = {
  name: string
  include: string[]
  exclude?: string[]
  env?: Record<string, string>
  /** Limit of one test in ms. It ends a test that hangs, on a machine however busy, and measures nothing. */
  testTimeout: number
  hookTimeout?: number
  /** Files at a time. */
  maxWorkers: number
  /** Whether each file has a process of its own. Without it the files of a worker share loaded and compiled modules. */
  isolate?: boolean
  /** Flags of Node. */
  flags?: string[]
}

/** A hook may build the console (20 s of processor time) and start a network: on a busy machine, minutes. */
function ring({ hookTimeout = 600_000, flags = [], ...more }: Ring): TestProjectInlineConfiguration {
  return {
    test: {
      // Node itself reads the sources, as it does when the product runs; nothing is transformed by a bundler.
      execArgv: ['--conditions=@cairn/source', ...flags],
      // The loader serves replaced modules and tests inside sources. There are none.
      experimental: { viteModuleRunner: false, nodeLoader: false },
      // Vitest's default of one second is too short for a busy machine.
      expect: { poll: { timeout: 60_000 } },
      setupFiles: ['tests/resolve-sources.mjs', 'tests/equal-bytes.ts'],
      hookTimeout,
      ...more,
    },
  }
}

/** Rings of tests: what each starts, and its command, is described in docs/testing.md. */
export default defineConfig({
  test: {
    globalSetup: ['tests/run-setup.ts'],
    reporters: ['default', ...failedFiles],
    sequence: { sequencer: SuitesFirst },
    projects: [
      ring({
        name: 'unit',
        include: ['{packages,services,apps}/*/src/**/*.test.ts', 'scripts/*.test.ts'],
        exclude: [...alone, ...thorough],
        env: { CAIRN_TEST_DATABASES: 'sqlite' },
        testTimeout: 180_000,
        maxWorkers,
        isolate: false,
        flags: collectsLess,
      }),
      ring({
        name: 'postgres',
        include: filesOnDatabases(import.meta.dirname),
        exclude: [...alone, ...thorough],
        env: { CAIRN_TEST_DATABASES: 'postgres' },
        testTimeout: 180_000,
        maxWorkers,
        isolate: false,
        flags: collectsLess,
      }),
      ring({ name: 'alone', include: alone, testTimeout: 180_000, maxWorkers }),
      ring({
        name: 'e2e',
        include: ['tests/{contract,e2e,docs,lighthouse,browser,console,explorer}/**/*.test.ts'],
        exclude: [...alone, ...thorough, ...(hasChromium ? [] : withBrowser)],
        testTimeout: 300_000,
        maxWorkers,
        isolate: false,
        flags: collectsLess,
      }),
      ring({
        name: 'thorough',
        include: thorough,
        exclude: [...alone, ...(hasChromium ? [] : withBrowser)],
        testTimeout: 300_000,
        maxWorkers,
        isolate: false,
      }),
      ring({ name: 'system', include: ['tests/system/**/*.test.ts'], testTimeout: 300_000, maxWorkers }),
      ring({
        name: 'firefox',
        include: ['tests/console/**/*.test.ts'],
        exclude: chromiumOnly,
        env: { CAIRN_TEST_BROWSER: 'firefox' },
        testTimeout: 300_000,
        maxWorkers,
      }),
      ring({ name: 'long', include: ['tests/long/**/*.test.ts'], testTimeout: 3_600_000, maxWorkers: 1 }),
      ring({ name: 'more', include: repeated, env: more, testTimeout: 3_600_000, maxWorkers }),
      ring({ name: 'interop', include: ['tests/interop/**/*.test.ts'], testTimeout: 300_000, maxWorkers: 1 }),
    ],
  },
})
