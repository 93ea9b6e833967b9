import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import type { StorageConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { secretFileName } from '../secrets/open-secret.ts'
import { secretIdOf } from '../secrets/seal.ts'

/**
 * Requires the setting of the secret for a database that replicas can share: each replica would create one of its own,
 * and the one in a container without a disk is lost with it.
 * @throws CairnError INVALID_CONFIGURATION
 */
export function requireSecretSetting({ database, secret, home }: StorageConfig): void {
  if (database.kind === 'sqlite' || secret !== undefined) return
  const file = join(home, secretFileName)
  throw new CairnError('INVALID_CONFIGURATION', {
    message: 'CAIRN_STORAGE_SECRET is empty, and PostgreSQL requires it',
    hint: existsSync(file)
      ? `Set CAIRN_STORAGE_SECRET_FILE=${file}, or copy the secret in this file to all replicas.`
      : 'Create a secret with "openssl rand -hex 32", and set it on all replicas of this database.',
  })
}

/**
 * Compares the secret with the one that the database was first served with, and records it the first time. Replicas
 * with different secrets would reject each other's sign-ins.
 * @throws CairnError INVALID_CONFIGURATION
 */
export async function requireSharedSecret({
  db,
  secret,
  secondarySecret = secret,
}: Pick<Context, 'db' | 'secret' | 'secondarySecret'>): Promise<void> {
  // A SQLite database belongs to one process, which keeps its secret in the same folder.
  if (db.kind === 'sqlite') return
  const known = await db.write(async (trx) => {
    await trx
      .updateTable('store')
      .set({ secret_check: secretIdOf(secret) })
      .where('secret_check', 'is', null)
      .execute()
    return trx.selectFrom('store').select('secret_check').executeTakeFirst()
  })
  if ([secret, secondarySecret].some((one) => secretIdOf(one) === known?.secret_check)) return
  throw new CairnError('INVALID_CONFIGURATION', {
    message: 'Other replicas of this database use a different secret',
    hint: 'Set CAIRN_STORAGE_SECRET to their secret. To replace it, see docs/operate/upgrade.md.',
  })
}
