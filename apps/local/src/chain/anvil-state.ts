import { readFile, rename, stat } from 'node:fs/promises'
import { writeFileWhole } from '../home/write-file-whole.ts'

/**
 * Copies the state if it is complete: anvil overwrites its file in place every second, so that a kill or a power
 * failure can leave half of it.
 */
export async function keepStateCopy(stateFile: string): Promise<void> {
  const state = await readState(stateFile)
  if (typeof state === 'object') await writeFileWhole(copyOf(stateFile), state.text)
}

/**
 * Makes the state of a chain readable before its start: sets a damaged state aside, and restores its last copy.
 * @returns what the user should know; undefined if the state was complete
 */
export async function repairState(stateFile: string): Promise<string | undefined> {
  const state = await readState(stateFile)
  if (state !== 'damaged') {
    await keepStateCopy(stateFile)
    return undefined
  }
  const aside = `${stateFile}.damaged-${Date.now()}`
  await rename(stateFile, aside)
  const moved = `The state of the local chain was damaged, for example by a power cut. The damaged file is ${aside}.`
  const copy = await readState(copyOf(stateFile))
  if (typeof copy !== 'object') {
    return `${moved} There is no copy, so the chain starts empty: earlier test coins and transactions are lost.`
  }
  const { mtime } = await stat(copyOf(stateFile))
  await writeFileWhole(stateFile, copy.text)
  return `${moved} The chain continues from its copy of ${mtime.toISOString()}: later transactions are lost.`
}

const copyOf = (stateFile: string): string => `${stateFile}.copy`

async function readState(file: string): Promise<{ text: string } | 'missing' | 'damaged'> {
  try {
    const text = await readFile(file, 'utf8')
    JSON.parse(text)
    return { text }
  } catch (error) {
    if (error instanceof SyntaxError) return 'damaged'
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'missing'
    throw error
  }
}
