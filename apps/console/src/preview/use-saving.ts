import type { Progress } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { decryptInWorker, saveInWorker } from '../cipher/decrypt-in-worker.ts'
import { useNetwork } from '../network/use-network.ts'
import { saveBlob } from './save-blob.ts'
import { chooseTarget } from './save-file.ts'

/**
 * Decrypts a file with a known key and saves it without showing it: as a stream into a file that the user chooses, or as a
 * download if the browser has no such files.
 */
export function useSaving(cid: string, masterKey: string, name: string) {
  const network = useNetwork()
  const [progress, setProgress] = useState<Progress>()
  const stop = useRef<AbortController>(undefined)
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: async () => {
      const own = new AbortController()
      stop.current = own
      setProgress(undefined)
      const job = { signal: own.signal, onProgress: setProgress }
      const target = await chooseTarget(name)
      if (target === undefined) saveBlob(await decryptInWorker(network, cid, masterKey, job), name)
      else await saveInWorker(network, cid, masterKey, { ...job, target })
    },
  })
  useEffect(() => () => stop.current?.abort(), [])
  return {
    error,
    isPending,
    isSaved: isSuccess,
    progress,
    save: useCallback(() => mutate(), [mutate]),
    cancel: useCallback(() => stop.current?.abort(), []),
  }
}
