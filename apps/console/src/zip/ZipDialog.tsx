import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Check } from '#icons'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { saveBlob } from '../preview/save-blob.ts'
import { chooseTarget } from '../preview/save-file.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Modal } from '../ui/Modal.tsx'
import { ProgressBar } from '../ui/ProgressBar.tsx'
import { zipInWorker } from './zip-in-worker.ts'
import type { ZipItem } from './zip-order.ts'

/** Saves items as one ZIP: as a stream into the file that the user chooses, or as a download. */
export function ZipDialog({
  name,
  items,
  totalBytes,
  onClose,
}: {
  name: string
  items: readonly ZipItem[]
  totalBytes: number
  onClose: () => void
}) {
  const network = useNetwork()
  const needClient = useKeyClient()
  const stop = useRef<AbortController>(undefined)
  const [progress, setProgress] = useState({ fileCount: 0, bytes: 0 })
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: async () => {
      const own = new AbortController()
      stop.current = own
      setProgress({ fileCount: 0, bytes: 0 })
      const target = await chooseTarget(name)
      const file = await zipInWorker(network, {
        items,
        target,
        signal: own.signal,
        needClient,
        onProgress: (fileCount, bytes) => setProgress({ fileCount, bytes }),
      })
      if (file !== undefined) saveBlob(file, name)
    },
  })
  useEffect(() => () => stop.current?.abort(), [])
  const close = () => {
    stop.current?.abort()
    onClose()
  }
  return (
    <Modal
      isOpen
      onClose={close}
      title={messages.drive.zipTitle(items.length)}
      hint={messages.drive.zipHint}
      footer={
        isSuccess ? (
          <Button kind="primary" onClick={close}>
            {messages.drive.done}
          </Button>
        ) : (
          <>
            <Button onClick={close}>{messages.shell.cancel}</Button>
            <Button kind="primary" isBusy={isPending} onClick={() => mutate()}>
              {messages.drive.zipSave(totalBytes)}
            </Button>
          </>
        )
      }
    >
      {error !== null && !isAborted(error) ? (
        <ErrorState title={messages.drive.zipFailed} error={error} onRetry={() => mutate()} />
      ) : isSuccess ? (
        <p role="status" className="flex items-center gap-2 text-good">
          <Check aria-hidden="true" size={18} />
          {messages.drive.zipDone(progress.fileCount, progress.bytes)}
        </p>
      ) : isPending ? (
        <div className="flex flex-col gap-2">
          <ProgressBar
            label={messages.drive.zipProgress(progress.fileCount, progress.bytes)}
            value={totalBytes === 0 ? 0 : Math.min(1, progress.bytes / totalBytes)}
          />
          <p className="text-ink-soft text-sm tabular">
            {messages.drive.zipProgress(progress.fileCount, progress.bytes)}
          </p>
        </div>
      ) : (
        <p className="text-ink-soft text-sm">{messages.drive.zipNote}</p>
      )}
    </Modal>
  )
}
