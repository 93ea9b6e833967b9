import { type Progress, type StorageReport, verifyStorage } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Download, ShieldCheck } from '#icons'
import { saveText } from '../browser/save-text.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { ProgressBar } from '../ui/states/ProgressBar.tsx'
import { VerifyReport } from './VerifyReport.tsx'

/** Verifies where content is stored, in this browser, on demand; failures are prominent. */
export function VerifyPanel({ cid }: { cid: string }) {
  const client = useClient()
  const [isFull, setFull] = useState(false)
  const [progress, setProgress] = useState<Progress>()
  const abort = useRef<AbortController>(undefined)
  const verify = useMutation<StorageReport, unknown, { full: boolean; signal: AbortSignal }>({
    mutationFn: ({ full, signal }) => verifyStorage(client, cid, { full, signal, onProgress: setProgress }),
    onSettled: () => setProgress(undefined),
  })
  // Aborts when the user leaves the page.
  useEffect(() => () => abort.current?.abort(), [])
  const start = () => {
    abort.current = new AbortController()
    verify.mutate({ full: isFull, signal: abort.current.signal })
  }
  const { data: report, error, isPending } = verify
  return (
    <section aria-labelledby="verify-title" className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <div className="min-w-0 flex-1 basis-72">
          <h2 id="verify-title" className="font-semibold">
            {messages.proofs.verifyTitle}
          </h2>
          <p className="mt-1 max-w-prose text-ink-soft text-sm">{messages.proofs.verifyHint}</p>
          <label className="mt-3 flex w-fit cursor-pointer items-start gap-3 text-sm">
            <input
              type="checkbox"
              className="mt-0.5 size-4 accent-accent"
              checked={isFull}
              disabled={isPending}
              onChange={({ target }) => setFull(target.checked)}
            />
            <span>
              <span className="block font-medium">{messages.proofs.verifyFull}</span>
              <span className="block max-w-prose text-ink-soft">{messages.proofs.verifyFullHint}</span>
            </span>
          </label>
        </div>
        <div className="flex gap-2">
          {isPending ? <Button onClick={() => abort.current?.abort()}>{messages.shell.cancel}</Button> : undefined}
          <Button kind="primary" isBusy={isPending} onClick={start}>
            {isPending ? (
              messages.proofs.verifying
            ) : (
              <>
                <ShieldCheck aria-hidden="true" size={16} />
                {report === undefined ? messages.proofs.verify : messages.proofs.verifyAgain}
              </>
            )}
          </Button>
        </div>
      </div>
      {isPending && progress !== undefined ? (
        <div className="mt-4">
          <ProgressBar
            label={messages.proofs.verifying}
            value={progress.total === undefined ? undefined : progress.bytes / Math.max(1, progress.total)}
          />
          <p className="mt-1 text-ink-soft text-sm tabular">
            {messages.proofs.verifyProgress(progress.bytes, progress.total)}
          </p>
        </div>
      ) : undefined}
      {error !== null && !isAborted(error) ? (
        <ErrorState error={error} title={messages.proofs.failedTitle} onRetry={start} />
      ) : report === undefined || isPending ? undefined : (
        <>
          <VerifyReport report={report} />
          <Button
            size="small"
            className="mt-4"
            onClick={() => saveText(`proof-${cid}.json`, JSON.stringify(report, undefined, 2), 'application/json')}
          >
            <Download aria-hidden="true" size={15} />
            {messages.proofs.saveReport}
          </Button>
        </>
      )}
    </section>
  )
}
