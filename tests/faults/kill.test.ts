import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { findBroken } from './place.ts'

const program = join(import.meta.dirname, 'store-program.ts')

/** Starts the program and kills it after this many acknowledgements; returns them. */
async function storeUntilKilled(folder: string, round: number, acknowledgements: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--conditions=@cairn/source', program, folder, 'many', `${round}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const output: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line.split(' ')[1] ?? '')
    if (output.length === acknowledgements) child.kill('SIGKILL')
  }
  await ended
  return output
}

test('loses no acknowledged upload of hundreds by a process that is killed again and again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-kill-'))
  const acknowledged: string[] = []
  for (let round = 0; round < 4; round++) {
    acknowledged.push(...(await storeUntilKilled(folder, round, 60 + Math.floor(Math.random() * 100))))
    expect(await findBroken(folder, acknowledged)).toEqual([])
  }
  expect(acknowledged.length).toBeGreaterThan(240)
  await rm(folder, { recursive: true, force: true })
})
