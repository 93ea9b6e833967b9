import { listUploadLinks, revokeUploadLink, type UploadLink } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { LinkRow } from '../links/LinkRow.tsx'
import { RevokeLink, useRevocation } from '../links/RevokeLink.tsx'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { changedByOthers } from '../network/query-client.ts'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { QueryView } from '../ui/states/QueryView.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { uploadLinksKey } from './upload-links-key.ts'

/** The upload links of the account with their use; open ones can be revoked. */
export function OwnUploadLinks() {
  const client = useClient()
  const address = useSession()?.address
  const query = useQuery({
    queryKey: [...uploadLinksKey, address],
    queryFn: ({ signal }) => listUploadLinks(client, { signal }),
    ...changedByOthers,
  })
  const revocation = useRevocation({ queryKey: uploadLinksKey, revoke: revokeUploadLink })
  return (
    <>
      <QueryView
        query={query}
        skeleton="h-16 w-full"
        empty={<p className="text-ink-soft text-sm">{messages.ownUploadLinks.none}</p>}
      >
        {(links) => (
          <ul
            aria-label={messages.ownUploadLinks.title}
            className="divide-y divide-line rounded-lg border border-line bg-surface"
          >
            {links.map((link) => (
              <UploadLinkRow
                key={link.id}
                link={link}
                onRevoke={() => revocation.ask({ id: link.id, label: labelOf(link) })}
              />
            ))}
          </ul>
        )}
      </QueryView>
      <RevokeLink revocation={revocation} hint={messages.ownUploadLinks.revokeHint} />
    </>
  )
}

function UploadLinkRow({ link, onRevoke }: { link: UploadLink; onRevoke: () => void }) {
  const { uploads, maxUploads, uploadedBytes, maxTotalBytes, contentTypes, expiresAt, lastUsedAt } = link
  const state = stateOf(link)
  return (
    <LinkRow
      label={labelOf(link)}
      tags={<Tag tone={state === 'active' ? 'good' : 'plain'}>{messages.links[state]}</Tag>}
      facts={[
        messages.ownUploadLinks.used(uploads, maxUploads),
        messages.ownUploadLinks.usedBytes(uploadedBytes, maxTotalBytes),
        ...(contentTypes.length === 0 ? [] : [contentTypes.join(', ')]),
        ...(lastUsedAt === null ? [] : [messages.ownUploadLinks.lastUsed(lastUsedAt)]),
        ...(state === 'active' ? [messages.links.expires(expiresAt)] : []),
        ...(state === 'expired' ? [messages.links.expiredAt(expiresAt)] : []),
      ]}
      expiresAt={expiresAt}
      onRevoke={state === 'active' ? onRevoke : undefined}
    />
  )
}

function stateOf({ state, uploads, maxUploads, expiresAt }: UploadLink): 'active' | 'revoked' | 'usedUp' | 'expired' {
  if (state === 'revoked') return 'revoked'
  if (uploads >= maxUploads) return 'usedUp'
  return state === 'ended' || expiresAt <= Date.now() ? 'expired' : 'active'
}

function labelOf({ id, label }: UploadLink): string {
  return label === '' ? messages.links.unnamed(id) : markControls(label)
}
