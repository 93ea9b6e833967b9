import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Describes what should not be in a storage folder; empty when nothing is wrong. Packs whose removal was decided but
 * interrupted are gone for every reader, and completed by the next round of removals (`countRemoving`). Packs that were
 * never acknowledged are gone as well, and removed after the grace period.
 */
export function findRemains(home: string): string[] {
  const database = new DatabaseSync(join(home, 'storage.sqlite'), { readOnly: true, timeout: 5000 })
  try {
    const faults: string[] = []
    const count = (what: string, sql: string): void => {
      const row = database.prepare(sql).get()
      const found = Number(row === undefined ? 0 : Object.values(row)[0])
      if (found !== 0) faults.push(`${found} ${what}`)
    }
    count('reservations', 'select count(*) from reservation')
    count('accounts with reserved bytes', 'select count(*) from account where reserved_bytes <> 0')
    count(
      'accounts whose used bytes are not those of their uploads',
      `select count(*) from account where data_used_bytes <> (select coalesce(sum(size_bytes), 0) from upload where upload.address = account.address)`,
    )
    count(
      'bytes that free storage is miscounted by',
      `select used_bytes - (select coalesce(sum(over), 0) from (
        select data_used_bytes + reserved_bytes - (data_limit_bytes - coalesce(free_bytes, 0)) as over from account
      ) where over > 0) from free_storage`,
    )
    count(
      'accounts whose uploads are miscounted',
      `select count(*) from account where upload_count <> (select count(*) from upload where upload.address = account.address)`,
    )
    count(
      'uploads without a pack',
      'select count(*) from upload where not exists (select 1 from upload_pack where upload_id = upload.id)',
    )
    count(
      'packs without an upload',
      "select count(*) from pack where state = 'live' and not exists (select 1 from upload_pack where pack_id = pack.id)",
    )
    count(
      'blocks without a pack',
      'select count(*) from block where not exists (select 1 from pack where pack.id = block.pack_id)',
    )
    const rows = database.prepare('select object_key, state from pack').all()
    const known = new Set(rows.map((row) => String(row['object_key'])))
    const objects = files(join(home, 'packs', 'objects')).filter((key) => !key.startsWith('owner/'))
    count('packs kept aside', "select count(*) from pack where hold = 'orphaned'")
    count('packs that are missing', 'select count(*) from pack where missing_at is not null')
    for (const key of objects) if (!known.has(key)) faults.push(`an object that no row names: ${key}`)
    const live = rows.filter((row) => row['state'] === 'live').map((row) => String(row['object_key']))
    for (const key of live) if (!objects.includes(key)) faults.push(`a row whose object is gone: ${key}`)
    for (const name of files(join(home, 'packs', 'tmp'))) faults.push(`a temporary file: ${name}`)
    return faults
  } finally {
    database.close()
  }
}

/** How many packs are still to be removed. */
export function countRemoving(home: string): number {
  const database = new DatabaseSync(join(home, 'storage.sqlite'), { readOnly: true, timeout: 5000 })
  try {
    const row = database.prepare("select count(*) as packs from pack where state = 'removing' and hold is null").get()
    return Number(row?.['packs'])
  } finally {
    database.close()
  }
}

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}
