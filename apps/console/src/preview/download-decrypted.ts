import { type Client, getKey, type NetworkProfile } from '@cairn/sdk'
import { decryptInWorker, saveInWorker } from '../cipher/decrypt-in-worker.ts'
import { messages } from '../messages/messages.ts'
import { startTransfer } from '../transfers/transfer-store.ts'
import { saveBlob } from './save-blob.ts'
import { chooseTarget, removeEmptyTarget } from './save-file.ts'

/**
 * Decrypts a file and saves it, as a transfer: as a stream into the file that the user chooses, or as a download if the browser
 * has no such files. Call it within a click, because browsers ask for a file only then.
 * @param needClient returns a client with a key session, after one more signature if required
 * @throws CairnError ABORTED
 */
export async function downloadDecrypted(
  network: NetworkProfile,
  needClient: () => Promise<Client>,
  { cid, name, sizeBytes }: { cid: string; name: string; sizeBytes: number },
): Promise<void> {
  const target = await chooseTarget(name)
  /** The removal of the empty file of a failed attempt: another attempt creates it again. */
  let removing: Promise<void> | undefined
  startTransfer({
    name,
    doneName: messages.drive.saved(name),
    kind: 'download',
    totalBytes: sizeBytes,
    run: async ({ report, signal }) => {
      await removing
      const job = {
        signal,
        onProgress: ({ bytes }: { bytes: number }) => report({ bytes: Math.min(bytes, sizeBytes) }),
      }
      try {
        const { masterKey } = await getKey(await needClient(), cid, { signal, lateMs: 0 })
        if (target === undefined) saveBlob(await decryptInWorker(network, cid, masterKey, job), name)
        else await saveInWorker(network, cid, masterKey, { ...job, target })
      } catch (error) {
        if (target !== undefined) removing = removeEmptyTarget(target)
        throw error
      }
      return undefined
    },
  })
}
