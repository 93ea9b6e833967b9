import { getKey } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Check } from '#icons'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { saveBlob } from '../preview/save-blob.ts'
import { chooseTarget, removeEmptyTarget } from '../preview/save-file.ts'
import { isAborted } from '../session/is-aborted.ts'
import { getSession } from '../session/session-store.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { showTransfers } from '../transfers/panel-store.ts'
import { cancelTransfer, isActive, retryTransfer, startTransfer, useTransfers } from '../transfers/transfer-store.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { ProgressBar } from '../ui/states/ProgressBar.tsx'
import { toastDone } from '../ui/toasts/toast-store.ts'
import { useIsOpen } from '../ui/use-is-open.ts'
import { copyMs, removeKeptZips } from './kept-zips.ts'
import { zipInWorker } from './zip-in-worker.ts'
import type { ZipItem } from './zip-order.ts'

/**
 * Saves items as one ZIP: as a stream into a file that the user chooses, or as a download. The work is a transfer, so it
 * continues when the dialog or the page is closed.
 */
export function ZipDialog({
  name,
  items,
  totalBytes,
  fileCount,
  masterKey,
  onClose,
}: {
  name: string
  items: readonly ZipItem[]
  /** 0 if it is not known. */
  totalBytes: number
  /** Number of files; undefined if it is not known, because an item may be a stored folder. */
  fileCount: number | undefined
  /** The file key of all items, if known; otherwise the key nodes have it. */
  masterKey?: string
  onClose: () => void
}) {
  const network = useNetwork()
  const needClient = useKeyClient()
  const [written, setWritten] = useState({ fileCount: 0, bytes: 0 })
  const [leftOut, setLeftOut] = useState<readonly string[]>([])
  const isOpen = useIsOpen()
  const { data, error, mutate } = useMutation({
    mutationFn: async () => {
      const target = await chooseTarget(name)
      let removing: Promise<void> | undefined
      return startTransfer({
        name,
        doneName: messages.drive.saved(name),
        kind: 'download',
        totalBytes,
        isShown: () => isOpen.current,
        run: async ({ report, signal }) => {
          await removing
          const writing = zipInWorker(network, {
            items,
            // Only private items are requested in the name of the account.
            apiKey: items.some(({ isPrivate }) => isPrivate) ? getSession()?.apiKey : undefined,
            target,
            signal,
            needKey: async (cid) => masterKey ?? (await getKey(await needClient(), cid, { signal })).masterKey,
            onProgress: (fileCount, bytes) => {
              setWritten({ fileCount, bytes })
              report({ bytes: Math.min(bytes, totalBytes) })
            },
          })
          // Another attempt creates it again.
          writing.catch(() => {
            if (target !== undefined) removing = removeEmptyTarget(target)
          })
          const { file, leftOut } = await writing
          if (file !== undefined) {
            saveBlob(file, name)
            setTimeout(() => void removeKeptZips(copyMs), copyMs)
          }
          setLeftOut(leftOut)
          if (leftOut.length > 0 && !isOpen.current) toastDone(name, messages.drive.zipLeftOut(leftOut))
          return undefined
        },
      })
    },
  })
  const transfer = useTransfers().find(({ id }) => id === data)
  const isRunning = transfer !== undefined && isActive(transfer)
  const progress = messages.drive.zipProgress(written.fileCount, written.bytes)
  const close = () => {
    if (isRunning) showTransfers(true)
    onClose()
  }
  return (
    <Modal
      isOpen
      onClose={close}
      title={
        fileCount !== undefined
          ? messages.drive.zipTitle(fileCount)
          : items.length === 1
            ? messages.drive.zipTitle(0)
            : messages.drive.zipItemsTitle(items.length)
      }
      hint={messages.drive.zipHint}
      footer={
        transfer === undefined ? (
          <>
            <Button onClick={onClose}>{messages.shell.cancel}</Button>
            <Button kind="primary" data-first-focus onClick={() => mutate()}>
              {messages.drive.zipSave(totalBytes)}
            </Button>
          </>
        ) : (
          <>
            {isRunning ? (
              <Button onClick={() => cancelTransfer(transfer.id)}>{messages.drive.zipCancel}</Button>
            ) : undefined}
            <Button kind="primary" onClick={close}>
              {isRunning ? messages.shell.close : messages.drive.done}
            </Button>
          </>
        )
      }
    >
      {error !== null && !isAborted(error) ? (
        <ErrorState title={messages.drive.zipFailed} error={error} onRetry={() => mutate()} />
      ) : transfer === undefined ? (
        <p className="text-ink-soft text-sm">
          {window.showSaveFilePicker === undefined ? messages.drive.zipNeedsSpace : messages.drive.zipChoose}
        </p>
      ) : transfer.error !== undefined ? (
        <ErrorState
          title={messages.drive.zipFailed}
          error={transfer.error}
          onRetry={() => retryTransfer(transfer.id)}
        />
      ) : transfer.stage === 'done' ? (
        <div role="status" className="flex flex-col gap-2">
          <p className="flex items-center gap-2 text-good">
            <Check aria-hidden="true" size={18} />
            {messages.drive.zipDone(written.fileCount, written.bytes)}
          </p>
          {leftOut.length > 0 ? (
            <p className="break-words text-sm text-warn">{messages.drive.zipLeftOut(leftOut)}</p>
          ) : undefined}
        </div>
      ) : isRunning ? (
        <div className="flex flex-col gap-2">
          <ProgressBar
            label={progress}
            value={totalBytes === 0 ? undefined : Math.min(1, written.bytes / totalBytes)}
          />
          <p className="text-ink-soft text-sm tabular">{progress}</p>
          <p className="text-ink-soft text-sm">{messages.drive.zipGoesOn}</p>
        </div>
      ) : (
        <p role="status" className="text-ink-soft text-sm">
          {messages.drive.zipCancelled}
        </p>
      )}
    </Modal>
  )
}
