import { CairnError, type FileLink } from '@cairn/sdk'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { LockKeyhole } from '#icons'
import { useCameInSight } from '../browser/use-came-in-sight.ts'
import { type FileInfo, useFileInfo } from '../content/use-file-info.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { QueryPending } from '../ui/states/QueryView.tsx'
import { FileName } from '../ui/values/FileName.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { LinkRow } from './LinkRow.tsx'
import { findLinkState } from './link-state.ts'
import { RevokeLink, useRevocation } from './RevokeLink.tsx'
import { linksKey, revokeFileLink, useLinks } from './use-links.ts'

/** The links to a file or folder, or all, with their state and opens; each that still opens can be revoked. */
export function LinkList({ cid, isFolder = false }: { cid?: string; isFolder?: boolean }) {
  const { data, error, refetch } = useLinks(cid)
  const revocation = useRevocation({ queryKey: linksKey, revoke: revokeFileLink })
  if (data === undefined) {
    return <QueryPending query={{ error, refetch }} skeleton="h-12 w-full" />
  }
  const hint = cid === undefined ? messages.links.hintAll : messages.links.hint(isFolder)
  return (
    <>
      <p className="text-ink-soft text-sm">{data.length === 0 ? `${messages.links.none} ${hint}` : hint}</p>
      {data.length === 0 ? undefined : (
        <ul
          aria-label={messages.links.list}
          className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface"
        >
          {data.map((link) => (
            <FileLinkRow
              key={link.id}
              link={link}
              hasCid={cid === undefined}
              onRevoke={() => revocation.ask({ id: link.id, label: labelOf(link) })}
            />
          ))}
        </ul>
      )}
      <RevokeLink revocation={revocation} hint={messages.links.revokeHint} />
    </>
  )
}

const tones = { active: 'good', revoked: 'plain', expired: 'plain', usedUp: 'plain', locked: 'warn' } as const

function FileLinkRow({ link, hasCid, onRevoke }: { link: FileLink; hasCid: boolean; onRevoke: () => void }) {
  const { cid, needsPassword, expiresAt, maxOpens, opens, failures, lastOpenedAt } = link
  const state = findLinkState(link)
  const row = useRef<HTMLLIElement>(null)
  // An account may have a thousand links.
  const isInSight = useCameInSight(row)
  const { data: info, error } = useFileInfo(isInSight ? cid : '')
  // The link outlives its file.
  const isGone = state === 'active' && CairnError.is(error, 'NOT_FOUND')
  const facts = [
    messages.links.opens(opens, maxOpens),
    ...(lastOpenedAt === null ? [] : [messages.links.lastOpened(lastOpenedAt)]),
    ...(failures === 0 ? [] : [messages.links.failures(failures)]),
    ...(state === 'active' ? [messages.links.expires(expiresAt)] : []),
    ...(state === 'expired' ? [messages.links.expiredAt(expiresAt)] : []),
  ]
  return (
    <LinkRow
      ref={row}
      label={labelOf(link)}
      tags={
        <>
          <Tag tone={isGone ? 'warn' : tones[state]}>{isGone ? messages.links.deleted : messages.links[state]}</Tag>
          {needsPassword ? <Tag icon={LockKeyhole}>{messages.links.withPassword}</Tag> : undefined}
        </>
      }
      facts={facts}
      expiresAt={expiresAt}
      onRevoke={state === 'active' ? onRevoke : undefined}
    >
      {hasCid ? (
        <p className="flex flex-wrap items-center gap-x-3 text-sm">
          {isGone ? undefined : <LinkedFile cid={cid} info={info} />}
          <ShortCode text={cid} label={messages.files.copyCid} />
        </p>
      ) : undefined}
      {isGone ? <p className="text-sm">{messages.links.deletedHint}</p> : undefined}
    </LinkRow>
  )
}

/** The name of the file or folder that a link opens. Clicking it shows who has access. */
function LinkedFile({ cid, info }: { cid: string; info: FileInfo | undefined }) {
  return (
    <Link
      to="/files/$cid/access"
      params={{ cid }}
      className="min-w-0 break-words text-accent-ink underline underline-offset-2"
    >
      {info === undefined || info.fileName === '' ? messages.links.toAccess : <FileName name={info.fileName} />}
    </Link>
  )
}

function labelOf({ id, label }: FileLink): string {
  return label === '' ? messages.links.unnamed(id) : markControls(label)
}
