import { type Client, type Drive, type DriveUpload, listFiles, openDrive } from '@cairn/sdk'
import { keepListing, readListing } from './kept-listing.ts'
import { keepKnownDrive, readKnownDrive } from './known-drives.ts'
import { type ShownDrive, setShownDrive } from './shown-drive.ts'

/** Pause before a changed listing is kept, in ms: changes come in groups. */
const keepAfterMs = 1_000

/**
 * Opens the drive of an account, and remembers what was seen of it. Files of this session that are listed already are shown at
 * once; otherwise the newest, and the others when they are listed.
 */
export async function openShownDrive(
  client: Client,
  { address: account, apiKey }: { address: string; apiKey: string },
  signal: AbortSignal,
): Promise<ShownDrive> {
  const known = readKnownDrive(account)
  const uploads = await readListing(apiKey)
  const drive = await openDrive(client, {
    inSteps: true,
    signal,
    ...(known === undefined ? {} : { known }),
    isPartial: true,
    ...(uploads === undefined ? {} : { uploads, isQuick: true }),
  })
  let version = 0
  drive.subscribe(() => {
    version++
    keepSeen(account, drive)
  })
  keepSeen(account, drive)
  keepListings(drive, apiKey, uploads)
  const shown = { drive, account, version: () => version, subscribe: drive.subscribe }
  setShownDrive(shown)
  // If it fails, the next reload lists them: the page reloads the drive every few seconds.
  listRest(client, drive, uploads !== undefined).catch(() => undefined)
  return shown
}

/** Changes of a partial drive wait until all is listed; those of a kept listing do not. */
async function listRest(client: Client, drive: Drive, isKept: boolean): Promise<void> {
  if (!drive.isListed) return drive.reload()
  if (!isKept) return
  const uploads: DriveUpload[] = []
  for await (const upload of listFiles(client)) uploads.push(upload)
  // With what was added meanwhile.
  await drive.reload({ uploads, isQuick: true })
}

function keepListings(drive: Drive, apiKey: string, kept: readonly DriveUpload[] | undefined): void {
  let latest = kept
  let timer: ReturnType<typeof setTimeout> | undefined
  const keepSoon = () => {
    if (timer !== undefined || !drive.isListed || drive.uploads === latest) return
    timer = setTimeout(() => {
      timer = undefined
      latest = drive.uploads
      void keepListing(apiKey, latest)
    }, keepAfterMs)
  }
  drive.subscribe(keepSoon)
  keepSoon()
}

function keepSeen(account: string, { known }: Drive): void {
  if (known !== undefined && known.revision !== readKnownDrive(account)?.revision) keepKnownDrive(account, known)
}
