import { statSync } from 'node:fs'
import { CairnError } from '@cairn/protocol'

/** Checks that the files of an open database are still the ones that the next start finds. */
export type FileGuard = {
  /** @throws CairnError UNAVAILABLE when a file was removed, moved or replaced */
  check(): void
}

/**
 * Remembers which files lie at these paths; one that does not exist yet, such as a log before the first write, is remembered
 * when it is first seen. A process keeps writing to an open file after it was removed or replaced, and the next start finds
 * nothing of that: so every commit is checked before it is acknowledged. A call of `stat` costs microseconds beside the
 * sync of a commit.
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
        message: 'The database file is gone or was replaced while the service runs',
        hint: 'Nothing is stored until the service was restarted with its database: docs/operate/recover.md.',
        cause: new Error(`${path} is not the file that was opened`),
        retryAfterSeconds: 60,
      })
    }
  }
  check()
  return { check }
}

/** Device and inode of a file; undefined when it does not exist. */
function identify(path: string): string | undefined {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
  return facts === undefined ? undefined : `${facts.dev}:${facts.ino}`
}
