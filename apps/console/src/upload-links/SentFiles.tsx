import { CircleCheck } from '#icons'
import { describeEnd } from '../links/LinkProblem.tsx'
import { describeError } from '../messages/describe-error.ts'
import { formatBytes } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { ProgressBar } from '../ui/states/ProgressBar.tsx'
import { FileName } from '../ui/values/FileName.tsx'
import type { SentFile } from './use-sending.ts'

/** The files that a visitor chose, with the state of each. */
export function SentFiles({ files, onRetry }: { files: readonly SentFile[]; onRetry: (file: SentFile) => void }) {
  const stored = files.filter(({ state }) => state === 'stored').length
  return (
    <section aria-label={messages.uploadLinks.files} className="flex flex-col gap-2">
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {files.map((one) => (
          <li key={one.id} className="flex flex-col gap-2 px-4 py-3 text-sm">
            <div className="flex items-center gap-3">
              <span className="min-w-0 flex-1 font-medium">
                <FileName name={one.file.name} />
              </span>
              <span className="tabular text-ink-soft">{formatBytes(one.file.size)}</span>
              <Status file={one} />
            </div>
            {one.state === 'sending' ? (
              <ProgressBar label={messages.uploadLinks.progress(one.file.name)} value={one.share} />
            ) : undefined}
            {one.state === 'failed' ? <Failure error={one.error} onRetry={() => onRetry(one)} /> : undefined}
          </li>
        ))}
      </ul>
      <p role="status" className="text-center text-ink-soft text-sm">
        {stored > 0 ? messages.uploadLinks.done(stored) : ''}
      </p>
    </section>
  )
}

/** A link that has ended takes no file any more. */
function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const end = describeEnd(error, messages.uploadLinks)
  return (
    <div className="flex items-center justify-between gap-3">
      <p role="alert" className="min-w-0 text-bad">
        {end?.title ?? describeError(error).message}
      </p>
      {end === undefined ? (
        <Button size="small" onClick={onRetry}>
          {messages.uploadLinks.retry}
        </Button>
      ) : undefined}
    </div>
  )
}

function Status({ file }: { file: SentFile }) {
  const { uploadLinks } = messages
  if (file.state === 'waiting') return <span className="text-ink-soft">{uploadLinks.waiting}</span>
  if (file.state === 'sending') {
    return <span className="tabular text-ink-soft">{uploadLinks.sending(Math.floor(file.share * 100))}</span>
  }
  if (file.state === 'failed') return undefined
  return (
    <span className="inline-flex items-center gap-1 text-good">
      <CircleCheck aria-hidden="true" size={16} />
      {uploadLinks.stored}
    </span>
  )
}
