import type { LinkInfo } from '@cairn/sdk'
import { formatCount, formatDateTime, formatUntil } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Fact, Facts } from '../ui/values/Fact.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'

/** Who shared a link, how large its file is, and how long it lasts. */
export function LinkFacts({ info, size }: { info: LinkInfo; size?: string }) {
  const { owner, expiresAt, opensLeft } = info
  return (
    <Facts>
      <Fact label={messages.linkPage.sharedBy}>
        <ShortCode text={owner} label={messages.linkPage.copyAddress} />
      </Fact>
      {size === undefined ? undefined : <Fact label={messages.linkPage.size}>{size}</Fact>}
      <Fact label={messages.linkPage.expires}>
        <time dateTime={new Date(expiresAt).toISOString()} title={formatUntil(expiresAt)}>
          {formatDateTime(expiresAt)}
        </time>
      </Fact>
      <Fact label={messages.linkPage.opensLeft}>{formatCount(opensLeft)}</Fact>
    </Facts>
  )
}
