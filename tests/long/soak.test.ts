import { expect, test } from 'vitest'
import { soak } from './soak.ts'

const minutes = Number(process.env['CAIRN_TEST_SOAK_MINUTES'] ?? 15)

test(
  `a network left alone for ${minutes} minutes still pays, shares and proves, and is complete at the end`,
  async () => {
    const { rounds, exitCode, left } = await soak(minutes, console.log)
    expect(rounds).toBeGreaterThan(0)
    expect({ exitCode, left }).toEqual({ exitCode: 0, left: [] })
  },
  // A round may take minutes on a busy machine.
  (minutes + 15) * 60_000,
)
