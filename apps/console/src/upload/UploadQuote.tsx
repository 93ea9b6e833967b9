import { leastBilledBytes } from '@cairn/protocol'
import { useUsage } from '../files/use-usage.ts'
import { formatBytes, formatUsd } from '../words/format.ts'
import { priceUsd } from '../words/price-usd.ts'
import { words } from '../words/words.ts'

/** What an upload takes, and what the account has. */
export type UploadQuoteFigures = { sizeBytes: number; leftBytes: number | undefined; missingBytes: number }

/** Asks the account's usage and sets the upload against it. */
export function useQuote(sizeBytes: number): UploadQuoteFigures {
  const { data } = useUsage()
  if (data === undefined) return { sizeBytes, leftBytes: undefined, missingBytes: 0 }
  const leftBytes = data.limitBytes - data.usedBytes - sizeBytes
  return { sizeBytes, leftBytes, missingBytes: Math.max(0, -leftBytes) }
}

/** The quote as it is shown before anything is sent. */
export function UploadQuote({ quote }: { quote: UploadQuoteFigures }) {
  const { sizeBytes, leftBytes, missingBytes } = quote
  return (
    <section aria-label={words.upload.total} className="rounded-lg bg-sunken px-4 py-3 text-sm">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <p className="font-medium">
          {words.upload.total} <span className="tabular">{formatBytes(sizeBytes)}</span>
        </p>
        <p className="text-ink-soft">{words.upload.costs(formatUsd(priceUsd(sizeBytes)))}</p>
      </div>
      {missingBytes > 0 ? (
        <p role="alert" className="mt-1 text-warn">
          {words.upload.missing(missingBytes)}
        </p>
      ) : leftBytes === undefined ? undefined : (
        <p className="text-ink-soft">
          {words.upload.left(leftBytes)}
          {sizeBytes < leastBilledBytes ? ` · ${words.upload.minimum}` : ''}
        </p>
      )}
    </section>
  )
}
