import { CairnError, type Client, type Drive, exportDrive, type KnownDrive, openDrive } from '@cairn/sdk'
import type { CommandContext } from '../command.ts'
import type { State } from '../state/state.ts'
import type { Output } from '../terminal/output.ts'
import { openKeyClient } from './key-client.ts'

/**
 * Opens the drive of the account. This machine remembers its newest revision, so that an older one is recognised.
 * @throws CairnError those of `openDrive` and `openKeyClient`
 */
export async function openOwnDrive(context: CommandContext): Promise<{ drive: Drive; client: Client }> {
  const { state, signal } = context
  const client = await openKeyClient(context, { withApiKey: true })
  const known = readKnown(await state.readDrive(placeOf(client)))
  try {
    const drive = await openDrive(client, { signal, known })
    if (drive.revision !== known?.revision) await keepKnown(context, client, drive)
    return { drive, client }
  } catch (error) {
    if (!CairnError.is(error, 'VERIFICATION_FAILED') || known === undefined) throw error
    throw new CairnError('VERIFICATION_FAILED', {
      message: error.message,
      hint: `${error.hint} If you reset this network, or this drive on another device, remove drives.json from ${state.folder}.`,
      details: error.details,
      cause: error,
    })
  }
}

/**
 * Returns the CID under which the key nodes keep the key of the drive: as this machine remembers it, otherwise as the service states
 * it. undefined without a drive, or without a usable API key.
 */
export async function findDriveKey(
  { state, session, signal }: CommandContext,
  account: Account,
): Promise<string | undefined> {
  const known = readKnown(await state.readDrive(placeOf(account)))
  if (known !== undefined) return known.keyCid
  const client = await session.optionalClient()
  if (client.apiKey === undefined) return undefined
  try {
    return (await exportDrive(client, { signal }))?.keyCid
  } catch (error) {
    if (!CairnError.is(error) || error.code === 'ABORTED') throw error
    // The lists of the key nodes do not depend on the storage service.
    return undefined
  }
}

/** What remembering a revision takes of a command, its client and its drive. */
type Place = { state: Pick<State, 'writeDrive'>; output: Pick<Output, 'note'> }
type Account = Pick<Client, 'network' | 'keySession'>
type Seen = Pick<Drive, 'known'>

async function keepKnown({ state }: Place, client: Account, { known }: Seen): Promise<void> {
  if (known !== undefined) await state.writeDrive(placeOf(client), known)
}

/**
 * Remembers the newest revision after a change. The change is stored by then, so that a failure is a note: an error would lead to
 * the same change again.
 */
export async function saveKnown(context: Place, client: Account, drive: Seen): Promise<void> {
  try {
    await keepKnown(context, client, drive)
  } catch (error) {
    const { message, hint } = CairnError.is(error) ? error : { message: String(error), hint: '' }
    const note = `The change is stored, but this machine could not remember the revision of the drive: ${message}. ${hint}`
    context.output.note(note.trim())
  }
}

/** Clears the revision of a drive that was removed. */
export async function clearKnown({ state }: CommandContext, client: Client): Promise<void> {
  await state.writeDrive(placeOf(client), null)
}

/** One machine can use several accounts and networks. */
function placeOf({ network, keySession }: Account): string {
  return `${keySession?.address.toLowerCase()} ${network.api}`
}

function readKnown(value: unknown): KnownDrive | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!('keyCid' in value) || !('revision' in value) || !('tip' in value)) return undefined
  const { keyCid, revision, tip } = value
  if (typeof keyCid !== 'string' || typeof revision !== 'number' || typeof tip !== 'string') return undefined
  return { keyCid, revision, tip }
}
