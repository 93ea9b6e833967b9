import type { FileLink } from '@cairn/sdk'
import { useState } from 'react'
import { LockKeyhole } from '#icons'
import { formatDateTime } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { QueryPending } from '../ui/QueryView.tsx'
import { Tag } from '../ui/Tag.tsx'
import { findLinkState } from './link-state.ts'
import { useLinks, useRevokeLink } from './use-links.ts'

/** The links of a file with their state and opens; each that still opens can be revoked. */
export function LinkList({ cid }: { cid: string }) {
  const { data, error, refetch } = useLinks(cid)
  const [revoking, setRevoking] = useState<FileLink>()
  const revoke = useRevokeLink(() => setRevoking(undefined))
  if (data === undefined) {
    return <QueryPending query={{ error, refetch }} skeleton="h-12 w-full" />
  }
  return (
    <>
      <p className="text-ink-soft text-sm">
        {data.length === 0 ? `${messages.links.none} ${messages.links.hint}` : messages.links.hint}
      </p>
      {data.length === 0 ? undefined : (
        <ul aria-label={messages.links.list} className="mt-2 divide-y divide-line rounded-lg border border-line">
          {data.map((link) => (
            <LinkRow key={link.id} link={link} onRevoke={() => setRevoking(link)} />
          ))}
        </ul>
      )}
      <Confirm
        isOpen={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={messages.links.revokeTitle(revoking === undefined ? '' : labelOf(revoking))}
        hint={messages.links.revokeHint}
        confirmLabel={messages.links.revoke}
        isBusy={revoke.isPending}
        onConfirm={() => (revoking === undefined ? undefined : revoke.mutate(revoking.id))}
      />
    </>
  )
}

const tones = { active: 'good', revoked: 'plain', expired: 'plain', usedUp: 'plain', locked: 'warn' } as const

function LinkRow({ link, onRevoke }: { link: FileLink; onRevoke: () => void }) {
  const { needsPassword, expiresAt, maxOpens, opens, failures, lastOpenedAt } = link
  const state = findLinkState(link)
  const facts = [
    messages.links.opens(opens, maxOpens),
    ...(lastOpenedAt === null ? [] : [messages.links.lastOpened(lastOpenedAt)]),
    ...(failures === 0 ? [] : [messages.links.failures(failures)]),
    ...(state === 'active' ? [messages.links.expires(expiresAt)] : []),
    ...(state === 'expired' ? [messages.links.expiredAt(expiresAt)] : []),
  ]
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-2 font-medium text-sm">
          <bdi className="min-w-0 break-words">{labelOf(link)}</bdi>
          <Tag tone={tones[state]}>{messages.links[state]}</Tag>
          {needsPassword ? <Tag icon={LockKeyhole}>{messages.links.withPassword}</Tag> : undefined}
        </p>
        <p className="text-ink-soft text-sm tabular" title={formatDateTime(expiresAt)}>
          {facts.join(' · ')}
        </p>
      </div>
      {state === 'active' ? (
        <Button size="small" onClick={onRevoke}>
          {messages.links.revoke} <span className="sr-only">{labelOf(link)}</span>
        </Button>
      ) : undefined}
    </li>
  )
}

function labelOf({ id, label }: FileLink): string {
  return label === '' ? messages.links.unnamed(id) : markControls(label)
}
