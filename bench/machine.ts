import { freemem } from 'node:os'
import { runProgram } from './program.ts'

const MiB = 1024 * 1024
const mostBytes = 4096 * MiB

/**
 * Puts the machine into the same state before each side of a pair. The disk has written what the other sides left
 * behind: a side that syncs would wait for those that do not. And memory that a virtual machine gave back to its host
 * is fetched again: the first write to such a page costs about six times the processor time, and it would fall on
 * whichever side happens to come upon it.
 */
export async function settleMachine(): Promise<void> {
  await runProgram('sync', [])
  const bytes = Math.min(mostBytes, Math.floor(freemem() / 2 / MiB) * MiB)
  await runProgram('dd', ['if=/dev/zero', 'of=/dev/null', `bs=${bytes}`, 'count=1', 'iflag=fullblock'])
}
