import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { lockFolder } from '../lock-folder.ts'
import { makeFolder } from '../make-folder.ts'
import { openFileStore } from '../objects/files.ts'
import type { ObjectStore } from '../objects/objects.ts'
import { s3Url } from '../objects/s3-settings.ts'
import type { BackupSettings } from './backup-settings.ts'

/** Where backups are: a folder, or a prefix of a bucket. */
export type BackupPlace = AsyncDisposable & { readonly objects: ObjectStore }

/** Purpose of a command. One process writes at a time. */
type Purpose = 'read' | 'write'

/**
 * Opens a destination or source of backups.
 * @param place a folder, or `s3://bucket/prefix`
 * @throws CairnError USAGE, NOT_FOUND (no such folder to read), CONFLICT while another process writes, as the object store
 */
export async function openPlace(
  place: string,
  settings: Pick<BackupSettings, 's3'>,
  purpose: Purpose,
): Promise<BackupPlace> {
  await using stack = new AsyncDisposableStack()
  const objects = place.startsWith('s3:')
    ? await openBucket(place, settings, purpose)
    : await openFolder(resolve(place), purpose, stack)
  stack.defer(() => objects.close())
  const open = stack.move()
  return { objects, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

async function openFolder(folder: string, purpose: Purpose, stack: AsyncDisposableStack): Promise<ObjectStore> {
  if (purpose === 'read') {
    const problem = existsSync(folder) ? 'contains no backups' : 'does not exist'
    // Opening a store creates its folders, also in a folder of something else that was named by mistake.
    if (!existsSync(join(folder, 'objects')))
      throw new CairnError('NOT_FOUND', { message: `${folder} ${problem}`, hint: 'Check the path.' })
    return openFileStore(folder)
  }
  makeFolder(folder)
  stack.use(
    await lockFolder(folder, {
      name: 'backup',
      holder: 'A backup',
      hint: 'Wait until it ends, or use another folder.',
    }),
  )
  return openFileStore(folder, { isAlone: true })
}

async function openBucket(place: string, { s3 }: Pick<BackupSettings, 's3'>, purpose: Purpose): Promise<ObjectStore> {
  const { openS3Store } = await import('../objects/s3/s3-store.ts')
  const settings = { ...s3, ...parseBucket(place), encryption: undefined, storageClass: undefined }
  const objects = await openS3Store(settings, { isReader: purpose === 'read' })
  if (purpose === 'read') return objects
  try {
    const others = await objects.listOthers()
    if (others.length === 0) return objects
    throw new CairnError('CONFLICT', {
      message: `Another backup writes to ${place}, or ended abruptly less than three minutes ago`,
      hint: 'Wait three minutes after it ended and try again.',
    })
  } catch (error) {
    await objects.close()
    throw error
  }
}

function parseBucket(place: string): { bucket: string; prefix: string } {
  try {
    return s3Url(place)
  } catch (error) {
    throw new CairnError('USAGE', { message: `${place} ${error instanceof Error ? error.message : 'is not a bucket'}` })
  }
}
