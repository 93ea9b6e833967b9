import type { NameState } from '@cairn/sdk'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { CircleAlert, ExternalLink, ShieldCheck } from '#icons'
import { explainError } from '../messages/describe-error.ts'
import { formatDateTime, formatDuration, formatUntil } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import type { Session } from '../session/session-store.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { FileName } from '../ui/values/FileName.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { nameUrl } from './name-url.ts'
import { useResolvedName } from './use-names.ts'
import { useTargetName } from './use-target-name.ts'

/** The current target of a name: as the service reports it, and as this browser verified it from the record. */
export function NameTarget({ session, state, value }: { session: Session; state: NameState; value: string }) {
  const network = useNetwork()
  const link = nameUrl(network, state.name)
  const { data: resolved, error } = useResolvedName(session, state.name, true)
  const isNewer = resolved !== undefined && state.sequence !== null && resolved.sequence > BigInt(state.sequence)
  const shown = isNewer ? resolved.value : value
  const cid = isNewer ? resolved.cid : state.cid
  const section = useRef<HTMLElement>(null)
  const fileName = useTargetName(shown, section)
  const validUntil = resolved?.validUntil ?? state.validUntil
  return (
    <section
      ref={section}
      aria-labelledby="points-to"
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-5 shadow-card"
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="points-to" className="font-semibold">
          {messages.names.pointsTo}
        </h2>
        {error !== null ? (
          <Tag tone="bad" icon={CircleAlert}>
            {messages.names.checkFailed}
          </Tag>
        ) : resolved === undefined ? (
          <span className="flex items-center gap-2 text-ink-soft text-sm">
            <Spinner /> {messages.names.checking}
          </span>
        ) : (
          <Tag tone="good" icon={ShieldCheck}>
            {messages.names.checked}
          </Tag>
        )}
      </div>
      {error !== null ? (
        <p role="alert" className="rounded-lg bg-bad-soft p-3 text-bad text-sm">
          {explainError(error)}
        </p>
      ) : resolved === undefined ? undefined : (
        <p className="text-ink-soft text-sm">{messages.names.checkedHint}</p>
      )}
      {isNewer ? (
        <p role="status" className="rounded-lg bg-warn-soft p-3 text-sm text-warn">
          <strong className="block font-medium">{messages.names.newer}</strong>
          {messages.names.newerHint(String(resolved.sequence))}
        </p>
      ) : undefined}
      <p className="flex items-start gap-2 rounded-lg bg-sunken py-2 pr-2 pl-4">
        <span className="min-w-0 flex-1 self-center break-all font-mono text-sm">
          {fileName === undefined ? undefined : (
            <span className="block break-words font-medium font-sans">
              <FileName name={fileName} />
            </span>
          )}
          {cid === null || cid !== shown.slice('/ipfs/'.length) ? (
            shown
          ) : (
            <Link to="/files/$cid" params={{ cid }} className="text-accent-ink hover:underline">
              {shown}
            </Link>
          )}
        </span>
        <CopyButton text={shown} size="small" />
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-6 gap-y-2 text-sm">
        <dt className="text-ink-soft">{messages.names.link}</dt>
        <dd className="flex min-w-0 items-center gap-1">
          <span className="min-w-0 truncate font-mono" title={link}>
            {link}
          </span>
          <CopyButton text={link} size="small" label={messages.names.copyLink} />
        </dd>
      </dl>
      <p className="text-ink-soft text-sm">
        {validUntil === null ? (
          ''
        ) : validUntil < Date.now() ? (
          <span className="text-bad">{messages.names.ended}</span>
        ) : (
          <>
            <span title={formatDateTime(validUntil)}>{sentence(messages.names.expires(formatUntil(validUntil)))}</span>{' '}
            {state.keyHeld === 'service' ? messages.names.renewed : messages.names.notRenewed}
          </>
        )}{' '}
        {state.ttlMs === null ? '' : `${messages.names.ttlOf(formatDuration(state.ttlMs))}.`}
      </p>
      <a href={link} target="_blank" rel="noreferrer" className={`${buttonClass()} w-fit`}>
        <ExternalLink aria-hidden="true" size={16} />
        {messages.names.open}
      </a>
    </section>
  )
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}
