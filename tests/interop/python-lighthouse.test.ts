// The published Python client of Lighthouse, unchanged, against the local network.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { createTestNetwork } from '../fixtures.ts'
import { isPythonProgramInstalled, lighthousePython, pythonBinary } from './python-programs.ts'
import { runProgram } from './run-program.ts'

describe.skipIf(!isPythonProgramInstalled(lighthousePython))('the Python client of Lighthouse', () => {
  test('every function that it has', async () => {
    await using network = await createTestNetwork()
    const scratch = await mkdtemp(join(tmpdir(), 'cairn-python-lighthouse-'))
    try {
      const { api, upload, gateway } = network.profile
      const program = join(import.meta.dirname, 'python-lighthouse/client.py')
      const args = [program, api, upload, gateway, generatePrivateKey(), scratch]
      const env = { HOME: scratch, PATH: process.env['PATH'] }
      const printed = await runProgram(pythonBinary(lighthousePython, 'python'), args, { env, timeoutMs: 240_000 })
      expect(printed.toString().trim().split('\n')).toEqual([
        'API key',
        'balance',
        'upload',
        'folder',
        'download',
        'listing',
        'tags',
        'names',
        'wallet',
      ])
    } finally {
      await rm(scratch, { recursive: true })
    }
  })
})
