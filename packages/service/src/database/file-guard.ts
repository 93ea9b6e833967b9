import { statSync } from 'node:fs'
import { CairnError } from '@cairn/protocol'

/** Checks that the files of an open database are still those that the next start opens. */
export type FileGuard = {
  /** @throws CairnError UNAVAILABLE if a file was removed, moved or replaced */
  check(): void
}

/**
 * Records the files at these paths; one that does not exist yet, such as a log before the first write, when it first
 * appears. A process keeps writing to an open file after it was removed or replaced, and the next start would find none
 * of that: so every commit is checked before it is acknowledged. A `stat` call costs microseconds next to the sync of a
 * commit.
 */
export function guardFiles(paths: readonly string[]): FileGuard {
  const known = new Map<string, string>()
  const check = (): void => {
    for (const path of paths) {
      const expected = known.get(path)
      const found = identify(path)
      if (expected === undefined && found !== undefined) known.set(path, found)
      if (expected === undefined || found === expected) continue
      throw new CairnError('UNAVAILABLE', {
        message: 'The database file was removed or replaced while the service was running',
        hint: 'The service stores nothing until it is restarted with its database. See docs/operate/recover.md.',
        cause: new Error(`${path} is not the file that was opened`),
        retryAfterSeconds: 60,
      })
    }
  }
  check()
  return { check }
}

/** Returns device and inode of a file; undefined if it does not exist. */
function identify(path: string): string | undefined {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
  return facts === undefined ? undefined : `${facts.dev}:${facts.ino}`
}
