import { type Client, type Drive, openDrive } from '@cairn/sdk'
import { setPlacer } from '../upload/upload-place.ts'
import { keepKnownDrive, readKnownDrive } from './known-drives.ts'
import { placeSoon } from './place-uploads.ts'
import { type ShownDrive, setShownDrive } from './shown-drive.ts'

/** Opens the drive of an account, and remembers what was seen of it. */
export async function openShownDrive(client: Client, account: string, signal: AbortSignal): Promise<ShownDrive> {
  const known = readKnownDrive(account)
  const drive = await openDrive(client, { signal, ...(known === undefined ? {} : { known }) })
  let version = 0
  drive.subscribe(() => {
    version++
    keepSeen(account, drive)
  })
  keepSeen(account, drive)
  const shown = { drive, account, version: () => version, subscribe: drive.subscribe }
  setShownDrive(shown)
  setPlacer(placeSoon)
  return shown
}

function keepSeen(account: string, { known }: Drive): void {
  if (known !== undefined && known.revision !== readKnownDrive(account)?.revision) keepKnownDrive(account, known)
}
