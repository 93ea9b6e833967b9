import { defineConfig } from 'vitest/config'

const resolve = { conditions: ['@cairn/source'] }
const ssr = { resolve: { conditions: ['@cairn/source'], externalConditions: ['@cairn/source'] } }
const execArgv = ['--conditions=@cairn/source']

/** Rings of tests: what each starts is told in docs/testing.md. */
export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          include: ['{packages,services,apps}/*/src/**/*.test.ts', 'scripts/*.test.ts'],
          execArgv,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'e2e',
          include: ['tests/{contract,e2e,docs,lighthouse,faults,browser,console}/**/*.test.ts'],
          execArgv,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each file has a network, chain or database of its own, on free ports.
          maxWorkers: 2,
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'interop',
          include: ['tests/interop/**/*.test.ts'],
          execArgv,
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
