import { CairnError } from '@cairn/protocol'
import type { ObjectStore } from '../objects/objects.ts'
import { listOwners, writeOwner } from '../objects/owner.ts'

/** Checks that a destination is empty or belongs to this database. @throws CairnError BACKUP_OF_ANOTHER */
export async function requireOwnPlace(place: ObjectStore, database: string): Promise<'empty' | 'own'> {
  const owners = await listOwners(place)
  if (owners.length === 0) {
    for await (const _key of place.list(''))
      throw ofAnother('The destination contains objects that are not of a backup')
    return 'empty'
  }
  if (owners.length === 1 && owners[0] === database) return 'own'
  throw ofAnother(`The destination contains backups of database ${owners.join(' and ')}, this one is ${database}`)
}

/** Assigns a destination to this database. @throws CairnError BACKUP_OF_ANOTHER */
export async function claimPlace(place: ObjectStore, database: string): Promise<void> {
  if ((await requireOwnPlace(place, database)) === 'empty') await writeOwner(place, database)
}

function ofAnother(message: string): CairnError {
  return new CairnError('BACKUP_OF_ANOTHER', { message })
}
