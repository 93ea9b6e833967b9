import { useUsage } from '../billing/use-usage.ts'
import { formatBytes } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'

/** Size of an upload, and storage left in the account. */
export type UploadQuoteFigures = { sizeBytes: number; leftBytes: number | undefined; missingBytes: number }

/** Compares the size of an upload with the usage of the account. */
export function useQuote(sizeBytes: number): UploadQuoteFigures {
  const { data } = useUsage()
  if (data === undefined) return { sizeBytes, leftBytes: undefined, missingBytes: 0 }
  const leftBytes = data.limitBytes - data.usedBytes - sizeBytes
  return { sizeBytes, leftBytes, missingBytes: Math.max(0, -leftBytes) }
}

/** Shows the quote before anything is sent. */
export function UploadQuote({ quote }: { quote: UploadQuoteFigures }) {
  const { sizeBytes, leftBytes, missingBytes } = quote
  return (
    <section aria-label={messages.upload.total} className="rounded-lg bg-sunken px-4 py-3 text-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <p className="font-medium">
          {messages.upload.total} <span className="tabular">{formatBytes(sizeBytes)}</span>
        </p>
      </div>
      {missingBytes > 0 ? (
        <p role="alert" className="mt-1 text-warn">
          {messages.upload.missing(missingBytes)}
        </p>
      ) : leftBytes === undefined ? undefined : (
        <p className="text-ink-soft">{messages.upload.left(leftBytes)}</p>
      )}
    </section>
  )
}
