import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/**
 * Ends a child: asks it, waits, and uses force after `graceMs`, for a child that hangs answers nothing. A child that leads a
 * process group of its own (`detached`) is ended with all of its group.
 * @param ask how the child is told to end; it may be told twice
 */
export async function endProcess(child: ChildProcess, ask: () => void, graceMs: number): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  ask()
  const timer = setTimeout(() => killByForce(child), graceMs)
  await ended
  clearTimeout(timer)
}

/** Ends a child by force when this process exits before it: nothing that hangs outlives the command that started it. */
export function endWithThisProcess(child: ChildProcess): void {
  const onExit = () => killByForce(child)
  process.once('exit', onExit)
  child.once('exit', () => process.off('exit', onExit))
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || pid === undefined
}

function killByForce(child: ChildProcess): void {
  if (hasEnded(child) || child.pid === undefined) return
  if (process.platform === 'win32') {
    child.kill('SIGKILL')
    return
  }
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // It ended in this moment.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
