import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** What every ring runs with. */
const shared = {
  // Node itself reads the sources, as it does when the product runs; nothing is transformed by a bundler.
  execArgv: ['--conditions=@cairn/source'],
  experimental: { viteModuleRunner: false },
  // Vitest's own second is too short for a machine that is busy.
  expect: { poll: { timeout: 20_000 } },
}

/**
 * Files at a time, the same for both rings, so that they run as one queue. One more than two cores: files wait for the disk,
 * for blocks and for deadlines. Each file has a network, chain or database of its own, on free ports.
 */
const maxWorkers = Math.max(3, Math.min(availableParallelism(), 8))

/** Rings of tests: what each starts is told in docs/testing.md. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['{packages,services,apps}/*/src/**/*.test.ts', 'scripts/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers,
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['tests/{contract,e2e,docs,lighthouse,faults,browser,console,explorer}/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers,
        },
      },
      {
        test: {
          ...shared,
          name: 'interop',
          include: ['tests/interop/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
