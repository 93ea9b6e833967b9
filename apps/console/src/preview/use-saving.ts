import { getKey, type Progress } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { decryptInWorker, saveInWorker } from '../cipher/decrypt-in-worker.ts'
import { useNetwork } from '../network/use-network.ts'
import { useSession } from '../session/session-store.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { saveBlob } from './save-blob.ts'
import { chooseTarget, removeEmptyTarget } from './save-file.ts'

/**
 * Decrypts a file with the known key or that of the key nodes and saves it without showing it: as a stream into a file that
 * the user chooses, or as a download if the browser has no such files.
 */
export function useSaving(cid: string, knownKey: string | undefined, name: string) {
  const network = useNetwork()
  const needKeyClient = useKeyClient()
  const address = useSession()?.address
  /** The account whose rights open the file; a known key needs none. */
  const reader = knownKey === undefined ? address : undefined
  const [progress, setProgress] = useState<Progress>()
  const stop = useRef<AbortController>(undefined)
  /** The removal of the file of an earlier attempt, which the user may choose again. */
  const removing = useRef<Promise<void>>(undefined)
  const { mutate, reset, error, isPending, isSuccess } = useMutation({
    mutationFn: async () => {
      const own = new AbortController()
      stop.current = own
      setProgress(undefined)
      const { signal } = own
      const job = { signal, onProgress: setProgress }
      // Before anything slow, because browsers show the dialog only shortly after a click.
      await removing.current
      const target = await chooseTarget(name)
      try {
        const masterKey = knownKey ?? (await getKey(await needKeyClient(), cid, { signal, lateMs: 0 })).masterKey
        if (target === undefined) saveBlob(await decryptInWorker(network, cid, masterKey, job), name)
        else await saveInWorker(network, cid, masterKey, { ...job, target })
      } catch (error) {
        if (target !== undefined) removing.current = removeEmptyTarget(target)
        throw error
      }
    },
  })
  useEffect(() => {
    // Clears the result of the previous file or account.
    void [cid, reader]
    reset()
    return () => stop.current?.abort()
  }, [cid, reader, reset])
  return {
    error,
    isPending,
    isSaved: isSuccess,
    progress,
    save: useCallback(() => mutate(), [mutate]),
    /** Clears the result. */
    reset,
    cancel: useCallback(() => stop.current?.abort(), []),
  }
}
