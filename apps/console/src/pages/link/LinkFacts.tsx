import type { LinkInfo } from '@cairn/sdk'
import type { ReactNode } from 'react'
import { formatAgo, formatBytes, formatCount, formatDateTime } from '../../messages/format.ts'
import { messages } from '../../messages/messages.ts'
import { ShortCode } from '../../ui/ShortCode.tsx'

/** Who shared a link, and how long it lasts; the size of the file once it is known. */
export function LinkFacts({ info, sizeBytes }: { info: LinkInfo; sizeBytes?: number }) {
  const { owner, expiresAt, opensLeft } = info
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-left text-sm">
      <Fact label={messages.linkPage.sharedBy}>
        <ShortCode text={owner} label={messages.linkPage.copyAddress} />
      </Fact>
      {sizeBytes === undefined ? undefined : <Fact label={messages.linkPage.size}>{formatBytes(sizeBytes)}</Fact>}
      <Fact label={messages.linkPage.expires}>
        <time dateTime={new Date(expiresAt).toISOString()} title={formatAgo(expiresAt)}>
          {formatDateTime(expiresAt)}
        </time>
      </Fact>
      <Fact label={messages.linkPage.opensLeft}>{formatCount(opensLeft)}</Fact>
    </dl>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{label}</dt>
      <dd className="flex min-h-8 min-w-0 items-center tabular">{children}</dd>
    </>
  )
}
