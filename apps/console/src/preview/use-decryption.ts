import { getKey, type Progress } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { decryptInWorker } from '../cipher/decrypt-in-worker.ts'
import { useNetwork } from '../network/use-network.ts'
import { useSession } from '../session/session-store.ts'
import { useKeyClient } from '../session/use-key-client.ts'

/** Size from which the user is asked first: decryption needs the same space on the device. */
export const largeBytes = 512 * 1024 * 1024

/**
 * Decrypts one file with the known key or that of the key nodes: started by the user, with progress, aborted when the
 * user leaves the page.
 */
export function useDecryption(cid: string, knownKey?: string) {
  const network = useNetwork()
  const needKeyClient = useKeyClient()
  const address = useSession()?.address
  const [progress, setProgress] = useState<Progress>()
  const stop = useRef<AbortController>(undefined)
  const { mutate, reset, data, error, isPending } = useMutation({
    mutationFn: async () => {
      stop.current?.abort()
      const own = new AbortController()
      stop.current = own
      setProgress(undefined)
      const masterKey =
        knownKey ?? (await getKey(await needKeyClient(), cid, { signal: own.signal, lateMs: 0 })).masterKey
      return decryptInWorker(network, cid, masterKey, { signal: own.signal, onProgress: setProgress })
    },
  })
  useEffect(() => {
    // Clears the result of the previous file or account.
    void [cid, address]
    reset()
    return () => stop.current?.abort()
  }, [cid, address, reset])
  return {
    blob: data,
    error,
    isPending,
    progress,
    begin: useCallback(() => mutate(), [mutate]),
    cancel: useCallback(() => stop.current?.abort(), []),
  }
}
