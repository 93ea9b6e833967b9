import { CairnError, type Client, cancelUpload, getUpload, type NetworkProfile } from '@cairn/sdk'
import { getSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { showTransfers } from '../transfers/panel-store.ts'
import { startTransfer } from '../transfers/transfer-store.ts'
import { isReadable, readHandle } from './file-handle.ts'
import { holdUpload } from './hold-upload.ts'
import { type KeptUpload, listKept, removeKept } from './kept-uploads.ts'
import { toWish } from './start-uploads.ts'
import type { PathFile } from './upload-item.ts'
import { dropJob, endJob, recallJob, toItem, type UploadJob } from './upload-job.ts'

/**
 * Takes up the uploads that an earlier page of this account left unfinished. Those whose bytes lie here go on by themselves;
 * the others wait in the transfers until their user allows the file to be read, or chooses it again. What another account left
 * is forgotten.
 */
export async function restoreUploads(network: NetworkProfile): Promise<void> {
  const account = getSession()?.address
  if (account === undefined) return
  const client = () => clientOf(network, getSession())
  let restored = 0
  for (const kept of await listKept()) {
    // What another tab sends is its own.
    const release = await holdUpload(kept.id)
    if (release === undefined) continue
    if (kept.account !== account) {
      await removeKept(kept.id)
      release()
    } else if (getSession()?.address !== account) release()
    else if (await restoreOne(client, kept, release)) restored++
  }
  if (restored > 0) showTransfers(true)
}

/** Forgets the uploads of an account that leaves, here and at the service. */
export async function dropUploads(client: Client, account: string): Promise<void> {
  for (const kept of await listKept()) {
    if (kept.account === account)
      await dropJob(
        client,
        recallJob(kept, () => undefined),
      )
  }
}

async function restoreOne(client: () => Client, kept: KeptUpload, release: () => void): Promise<boolean> {
  const job = recallJob(kept, release)
  const offsetBytes = await findOffset(client(), job)
  if (offsetBytes === 'stored') {
    await endJob(job)
    return false
  }
  if (job.isEncrypted && job.body === undefined && job.state !== undefined) {
    // Encrypted once more it is another: what the service has of it is of no use.
    await giveUp(client(), job.state.id)
    job.state = undefined
  }
  const wish = toWish(client, job, kept.sizeBytes)
  const bytes = Math.min(offsetBytes, kept.sizeBytes)
  const isAllHere = job.item !== undefined || (job.body !== undefined && job.state !== undefined)
  if (isAllHere) {
    startTransfer(wish)
    return true
  }
  const { handle } = kept
  const take = (files: readonly PathFile[]) => {
    job.item = toItem(kept, files)
  }
  if (handle !== undefined && (await isReadable(handle)) && (await takeQuietly(handle, kept, take))) {
    startTransfer(wish)
    return true
  }
  startTransfer({
    ...wish,
    paused: {
      bytes: job.isEncrypted ? 0 : bytes,
      need: handle !== undefined ? 'continue' : kept.kind,
      go: async (files) =>
        take(handle !== undefined && files === undefined ? await readHandle(handle, kept.files) : (files ?? [])),
    },
  })
  return true
}

/** What the service cannot be told of, it gives up by itself in its time. */
async function giveUp(client: Client, id: string): Promise<void> {
  try {
    await cancelUpload(client, id)
  } catch (error) {
    if (!CairnError.is(error)) throw error
  }
}

/** Reads what may be read without a word. Where it is not as it was, its user is asked. */
async function takeQuietly(
  handle: FileSystemHandle,
  kept: KeptUpload,
  take: (files: readonly PathFile[]) => void,
): Promise<boolean> {
  try {
    take(await readHandle(handle, kept.files))
    return true
  } catch (error) {
    if (!CairnError.is(error)) throw error
    return false
  }
}

/** Bytes the service has of an upload, as far as it says; a lost answer may have been that it is stored. */
async function findOffset(client: Client, { state }: UploadJob): Promise<number | 'stored'> {
  if (state === undefined) return 0
  try {
    const info = await getUpload(client, state.id)
    if (info === undefined) return 0
    return info.state === 'stored' ? 'stored' : info.offsetBytes
  } catch (error) {
    // The upload itself asks again, and waits where it has to.
    if (!CairnError.is(error)) throw error
    return 0
  }
}
