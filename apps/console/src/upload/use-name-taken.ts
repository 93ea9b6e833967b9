import { useCallback } from 'react'
import { useDriveVersion, useOpenDrive } from '../drive-index/use-drive.ts'
import type { UploadPlace } from './upload-place.ts'

/**
 * Returns a function that tells whether a folder of the drive has a file of a name, of which an upload becomes a version. Beside a
 * folder of its name, an upload gets a number by itself. Without an open drive, no name is taken.
 */
export function useNameTaken(place: UploadPlace | undefined): (name: string) => boolean {
  const shown = useOpenDrive()
  const version = useDriveVersion(shown)
  const folder = place?.path ?? ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive is read again when its version changes.
  return useCallback(
    (name) => name !== '' && shown?.drive.find(`${folder}/${name.normalize('NFC')}`)?.kind === 'file',
    [shown, version, folder],
  )
}
