import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { CairnError } from '@cairn/protocol'
import type { DatabaseSettings } from '@cairn/service'

/** Path of the note that a SQLite database was moved away. It is next to the database, which does not change. */
const notePath = (path: string): string => `${path}.moved`

/**
 * Notes that a SQLite database was moved away, so that no service starts on it again: it would change the packs of the
 * moved one.
 */
export async function noteMoved(path: string, target: string): Promise<void> {
  const file = await open(notePath(path), 'w', 0o600)
  try {
    await file.writeFile(`Moved to ${target} at ${new Date().toISOString()}.\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Rejects a SQLite database that was moved away. @throws CairnError INVALID_CONFIGURATION */
export function requireNotMoved(settings: DatabaseSettings): void {
  if (settings.kind !== 'sqlite' || !existsSync(notePath(settings.path))) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: `The database ${settings.path} was moved with cairn-admin migrate`,
    hint: `Set CAIRN_DATABASE_URL (and CAIRN_OBJECTS_URL) to the new location. To return to SQLite and lose what was stored since, remove ${notePath(settings.path)}.`,
  })
}
