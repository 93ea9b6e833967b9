import { freemem } from 'node:os'
import { runProgram } from './program.ts'

const MiB = 1024 * 1024
const mostBytes = 4096 * MiB

/**
 * Brings the machine into the same state before each side of a pair. Flushes what the other sides left on the
 * disk: a side that syncs would wait for those that do not. Also touches memory that a virtual machine returned to its
 * host: the first write to such a page costs about six times the processor time, and would count for
 * whichever side happens to write it.
 */
export async function settleMachine(): Promise<void> {
  await runProgram('sync', [])
  const bytes = Math.min(mostBytes, Math.floor(freemem() / 2 / MiB) * MiB)
  await runProgram('dd', ['if=/dev/zero', 'of=/dev/null', `bs=${bytes}`, 'count=1', 'iflag=fullblock'])
}
