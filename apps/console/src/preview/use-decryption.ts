import { getKey, type Progress } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { decryptInWorker } from '../cipher/decrypt-in-worker.ts'
import { openMedia } from '../media/open-media.ts'
import { hasMediaWorker } from '../media/register-media-worker.ts'
import { useNetwork } from '../network/use-network.ts'
import { useSession } from '../session/session-store.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { choosePreview } from './preview-kind.ts'

/** Size from which the user is asked first: decryption needs the same space on the device. */
const largeBytes = 512 * 1024 * 1024

/** Size from which audio and video are read by ranges; a smaller file loads as fast as its first range. */
const rangesFromBytes = 8 * 1024 * 1024

/** A decrypted file: all of it, or an address from which players of this page read ranges. */
export type Decrypted = { kind: 'blob'; blob: Blob } | { kind: 'media'; url: string; masterKey: string }

/** An encrypted file, or one in an encrypted folder: `cid` is then that of the folder, with the path in it. */
export type EncryptedFile = { cid: string; name: string; mimeType: string | null; sizeBytes: number }

/** Returns the type of a file that is played by ranges; undefined for any other. */
function findPlayedType({ name, mimeType, sizeBytes }: EncryptedFile): string | undefined {
  const { kind, type } = choosePreview(name, mimeType)
  const isPlayed = (kind === 'audio' || kind === 'video') && sizeBytes >= rangesFromBytes
  return isPlayed && hasMediaWorker() ? type : undefined
}

/**
 * Decrypts one file with the known key or that of the key nodes: started by the user, with progress, aborted when the user
 * leaves the page. Large audio and video are only opened: players then fetch the ranges they play.
 */
export function useDecryption(file: EncryptedFile, knownKey?: string) {
  const { cid, sizeBytes } = file
  const playedType = findPlayedType(file)
  const network = useNetwork()
  const needKeyClient = useKeyClient()
  const address = useSession()?.address
  /** The account whose rights open the file; a known key needs none. */
  const reader = knownKey === undefined ? address : undefined
  const [progress, setProgress] = useState<Progress>()
  const stop = useRef<AbortController>(undefined)
  const { mutate, reset, data, error, isPending } = useMutation({
    mutationFn: async (): Promise<Decrypted> => {
      stop.current?.abort()
      const own = new AbortController()
      stop.current = own
      setProgress(undefined)
      const masterKey =
        knownKey ?? (await getKey(await needKeyClient(), cid, { signal: own.signal, lateMs: 0 })).masterKey
      const { signal } = own
      if (playedType !== undefined) {
        const media = await openMedia(network, { cid, masterKey, type: playedType }, signal)
        if (media !== undefined) return { kind: 'media', url: media.url, masterKey }
      }
      return { kind: 'blob', blob: await decryptInWorker(network, cid, masterKey, { signal, onProgress: setProgress }) }
    },
  })
  useEffect(() => {
    // Clears the result of the previous file or account.
    void [cid, reader]
    reset()
    return () => stop.current?.abort()
  }, [cid, reader, reset])
  return {
    content: data,
    /** Whether opening it takes much space. */
    isLarge: sizeBytes >= largeBytes && playedType === undefined,
    error,
    isPending,
    progress,
    begin: useCallback(() => mutate(), [mutate]),
    /** Clears the result. */
    reset,
    cancel: useCallback(() => stop.current?.abort(), []),
  }
}
