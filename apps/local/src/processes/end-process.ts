import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/**
 * Stops a child: requests a shutdown, waits, and kills it after `graceMs`, because a child that hangs does not respond.
 * A child that leads its own process group (`detached`) is stopped with the whole group.
 * @param ask requests the shutdown; may be called twice
 */
export async function endProcess(child: ChildProcess, ask: () => void, graceMs: number): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  ask()
  const timer = setTimeout(() => killByForce(child), graceMs)
  await ended
  clearTimeout(timer)
}

/** Kills a child when this process exits before it, so that no hanging child outlives the command that started it. */
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
    // It exited at this moment.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
