import type { LinkInfo } from '@cairn/sdk'
import { formatBytes, formatCount, formatDateTime, formatUntil } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Fact, Facts } from '../ui/Fact.tsx'
import { ShortCode } from '../ui/ShortCode.tsx'

/** Who shared a link, and how long it lasts; the size of the file once it is known. */
export function LinkFacts({ info, sizeBytes }: { info: LinkInfo; sizeBytes?: number }) {
  const { owner, expiresAt, opensLeft } = info
  return (
    <Facts>
      <Fact label={messages.linkPage.sharedBy}>
        <ShortCode text={owner} label={messages.linkPage.copyAddress} />
      </Fact>
      {sizeBytes === undefined ? undefined : <Fact label={messages.linkPage.size}>{formatBytes(sizeBytes)}</Fact>}
      <Fact label={messages.linkPage.expires}>
        <time dateTime={new Date(expiresAt).toISOString()} title={formatUntil(expiresAt)}>
          {formatDateTime(expiresAt)}
        </time>
      </Fact>
      <Fact label={messages.linkPage.opensLeft}>{formatCount(opensLeft)}</Fact>
    </Facts>
  )
}
