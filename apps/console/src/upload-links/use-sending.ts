import { uploadWithLink } from '@cairn/sdk'
import { useEffect, useRef, useState } from 'react'

type State =
  | { state: 'waiting' }
  | { state: 'sending'; share: number }
  | { state: 'stored' }
  | { state: 'failed'; error: unknown }

/** A file that a visitor sends. */
export type SentFile = { readonly id: number; readonly file: File } & State

/**
 * Sends files through an upload link, one after the other. The browser asks before the page is left while files are sent, which
 * stops them.
 * @param onSettled called after each file
 */
export function useSending(url: string, onSettled: () => void) {
  const [files, setFiles] = useState<readonly SentFile[]>([])
  const queue = useRef<Promise<void>>(Promise.resolve())
  const leaving = useRef(new AbortController())
  const nextId = useRef(0)
  useEffect(() => {
    const controller = new AbortController()
    leaving.current = controller
    return () => controller.abort()
  }, [])
  const isSending = files.some(({ state }) => state === 'waiting' || state === 'sending')
  useEffect(() => {
    if (!isSending) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isSending])

  const update = (id: number, state: State) =>
    setFiles((all) => all.map((one) => (one.id === id ? { id, file: one.file, ...state } : one)))
  const send = async (id: number, file: File): Promise<void> => {
    const { signal } = leaving.current
    if (signal.aborted) return
    update(id, { state: 'sending', share: 0 })
    try {
      await uploadWithLink(url, file, {
        signal,
        onProgress: ({ phase, bytes, total = file.size }) => {
          if (phase === 'send') update(id, { state: 'sending', share: total === 0 ? 1 : bytes / total })
        },
      })
      update(id, { state: 'stored' })
    } catch (error) {
      update(id, { state: 'failed', error })
    }
    onSettled()
  }
  const enqueue = (id: number, file: File) => {
    queue.current = queue.current.then(() => send(id, file))
  }
  return {
    files,
    add(chosen: Iterable<File>) {
      const added = Array.from(chosen, (file) => ({ id: nextId.current++, file, state: 'waiting' as const }))
      setFiles((all) => [...all, ...added])
      for (const { id, file } of added) enqueue(id, file)
    },
    retry({ id, file }: SentFile) {
      update(id, { state: 'waiting' })
      enqueue(id, file)
    },
  }
}
