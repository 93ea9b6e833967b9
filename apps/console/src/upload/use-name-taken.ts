import { useCallback } from 'react'
import { useDriveQuery, useDriveVersion, useHasDrive } from '../drive-index/use-drive.ts'
import type { UploadPlace } from './upload-place.ts'

/**
 * Returns a function that tells whether a folder of the drive has a file of a name, of which an upload becomes a version. Beside a
 * folder of its name, an upload gets a number by itself; beside a file from an upload link, that file gets it. Opens the drive if no page has; if it cannot be opened, no name is taken.
 * @returns `isPending` until all names are known, or the drive could not be opened
 */
export function useNameTaken(place: UploadPlace | undefined): {
  isTaken: (name: string) => boolean
  isPending: boolean
} {
  const { data: shown, isLoading } = useDriveQuery({ isEnabled: useHasDrive() })
  const version = useDriveVersion(shown)
  const folder = place?.path ?? ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive is read again when its version changes.
  const isTaken = useCallback(
    (name: string) => {
      const item = name === '' ? undefined : shown?.drive.find(`${folder}/${name.normalize('NFC')}`)
      return item?.kind === 'file' && !item.isReceived
    },
    [shown, version, folder],
  )
  return { isTaken, isPending: isLoading || shown?.drive.isListed === false }
}
