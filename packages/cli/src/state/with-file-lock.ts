import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { open, readFile, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { CairnError } from '@cairn/sdk'

/** Interval at which a holder renews the time of its lock. */
const renewMs = 2_000
/** Age of a lock whose holder no longer exists although its process id does: another program has it since. */
const abandonedMs = 60_000
/** Age of a lock that names no holder: of an earlier version, or of a process that was killed while it wrote its name. */
const unnamedMs = 10_000
const pollMs = 10
/** Work under a lock takes milliseconds, unless its caller states a signal and waits as long as the holder works. */
const maxWaitMs = 30_000
/** Time after which a caller hears that it waits. */
const quietMs = 1_000

export type LockOptions = {
  /** Ends the wait, which has no other limit then. */
  signal?: AbortSignal
  /** Called once if the wait takes longer than a second. */
  onWait?: () => void
}

/** The process that holds a lock. */
type Holder = { pid: number; host: string }

/**
 * Runs work while no other call with the same lock file does, in this process or another one. A lock of a process that no longer
 * exists is removed; a process on another machine or in another container renews its lock. There is no lock of the operating
 * system here, because Node offers none on all versions and platforms that the command line supports.
 * @throws CairnError FILE_UNREADABLE if the lock does not become free, ABORTED
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { signal, onWait }: LockOptions = {},
): Promise<T> {
  const own = `${JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() })}\n`
  const startedAt = Date.now()
  let mayNotify = onWait !== undefined
  while (!(await create(path, own))) {
    const waitedMs = Date.now() - startedAt
    if (signal === undefined && waitedMs > maxWaitMs)
      throw new CairnError('FILE_UNREADABLE', {
        message: `${path} is in use by another process`,
        hint: 'Wait for the other cairn command, then try again.',
      })
    if (mayNotify && waitedMs > quietMs) {
      mayNotify = false
      onWait?.()
    }
    await removeAbandoned(path)
    await wait(pollMs, undefined, { signal }).catch((cause: unknown) => {
      throw new CairnError('ABORTED', { cause })
    })
  }
  const renewal = setInterval(() => {
    const now = new Date()
    // The lock may have been removed by hand.
    utimes(path, now, now).catch(() => undefined)
  }, renewMs)
  renewal.unref()
  // A second Ctrl-C exits at once.
  const release = () => {
    // Another process has it if this one was stopped for longer than locks are kept.
    if (readIfThere(path) === own) rmSync(path, { force: true })
  }
  process.once('exit', release)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
    process.off('exit', release)
    release()
  }
}

/** Creates a file. Returns false if it exists. */
async function create(path: string, text: string): Promise<boolean> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    if (hasCode(error, 'EEXIST')) return undefined
    throw error
  })
  try {
    await file?.writeFile(text)
  } finally {
    await file?.close()
  }
  return file !== undefined
}

async function removeAbandoned(path: string): Promise<void> {
  if (!(await isAbandoned(path))) return
  // Of several processes that see it, one removes it: another might remove the lock of the next holder.
  const removal = `${path}.removal`
  if (!(await create(removal, ''))) {
    if (await isOlder(removal, unnamedMs)) await rm(removal, { force: true })
    return
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true })
  } finally {
    await rm(removal, { force: true })
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const holder = readHolder(await readFile(path, 'utf8').catch(ignoreMissing))
  if (holder === undefined) return isOlder(path, unnamedMs)
  if (holder.host === hostname() && !isAlive(holder.pid)) return true
  return isOlder(path, abandonedMs)
}

async function isOlder(path: string, ageMs: number): Promise<boolean> {
  const found = await stat(path).catch(ignoreMissing)
  return found !== undefined && Date.now() - found.mtimeMs >= ageMs
}

function readHolder(text = ''): Holder | undefined {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json !== 'object' || json === null || !('pid' in json) || !('host' in json)) return undefined
    const { pid, host } = json
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    // Sends nothing.
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Of another user.
    return !hasCode(error, 'ESRCH')
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
