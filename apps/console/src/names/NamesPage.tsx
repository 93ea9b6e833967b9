import type { NameState } from '@cairn/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { Ellipsis, KeyRound, MonitorSmartphone, Plus, Signpost } from '#icons'
import { formatAgo, formatDateTime, shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { AreaMenu, ButtonMenu, type MenuItem } from '../ui/Menu.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { QueryView } from '../ui/states/QueryView.tsx'
import { FileName } from '../ui/values/FileName.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { CreateNameDialog } from './CreateNameDialog.tsx'
import { labelOf } from './label-of.ts'
import { PublishFileDialog } from './PublishFileDialog.tsx'
import { useNameActions } from './use-name-actions.tsx'
import { useDeviceNames, useNames } from './use-names.ts'
import { useTargetName } from './use-target-name.ts'

/** The account's names (IPNS). */
export function NamesPage({ session }: { session: Session }) {
  const navigate = useNavigate()
  const { data, error, refetch } = useNames(session)
  const { publish } = useSearch({ from: '/names' })
  const onDevice = useDeviceNames(session.address)
  const [isCreating, setCreating] = useState(false)
  const { itemsOf, dialogs } = useNameActions()
  const create = (
    <Button kind="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden="true" size={16} />
      {messages.names.create}
    </Button>
  )
  return (
    <>
      <PageHeader title={messages.pages.names} hint={messages.names.hint}>
        {data === undefined || data.length === 0 ? undefined : create}
      </PageHeader>
      <QueryView
        query={{ data, error, refetch }}
        skeleton="h-40 w-full"
        empty={
          <EmptyState icon={Signpost} title={messages.names.none} hint={messages.names.noneHint}>
            {create}
          </EmptyState>
        }
      >
        {(data) => (
          <ul
            aria-label={messages.names.listLabel}
            className="divide-y divide-line rounded-lg border border-line bg-surface"
          >
            {data.map((name) => (
              <NameRow key={name.id} name={name} isOnDevice={onDevice.has(name.name)} items={itemsOf(name)} />
            ))}
          </ul>
        )}
      </QueryView>
      {isCreating ? (
        <CreateNameDialog
          onClose={() => setCreating(false)}
          onCreated={({ name }) => void navigate({ to: '/names/$key', params: { key: name } })}
        />
      ) : undefined}
      {publish === undefined ? undefined : (
        <PublishFileDialog
          session={session}
          cid={publish}
          onClose={() => void navigate({ to: '/names', replace: true })}
          onPublished={({ name }) => void navigate({ to: '/names/$key', params: { key: name }, replace: true })}
        />
      )}
      {dialogs}
    </>
  )
}

function NameRow({ name, isOnDevice, items }: { name: NameState; isOnDevice: boolean; items: readonly MenuItem[] }) {
  const label = labelOf(name)
  return (
    <AreaMenu items={() => items} label={messages.names.actionsFor(label)}>
      <li className="relative flex items-center gap-3 px-4 py-3 text-sm hover:bg-hover">
        <div className="grid min-w-0 flex-1 gap-x-4 gap-y-0.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,2fr)_minmax(0,1fr)] sm:items-center">
          <div className="min-w-0">
            <Link
              to="/names/$key"
              params={{ key: name.name }}
              className="block truncate font-medium after:absolute after:inset-0 hover:underline"
            >
              {label}
            </Link>
            {name.keyHeld === 'owner' ? (
              <Tag icon={isOnDevice ? MonitorSmartphone : KeyRound}>
                {isOnDevice ? messages.names.onDevice : messages.names.heldBy.owner}
              </Tag>
            ) : undefined}
            {name.label === null ? undefined : (
              <p title={name.name} className="truncate font-mono text-ink-soft text-xs">
                {shorten(name.name, 12, 8)}
              </p>
            )}
          </div>
          <p title={name.value ?? undefined} className="truncate text-ink-soft">
            {name.value === null ? (
              <span className="text-ink-faint">{messages.names.never}</span>
            ) : (
              <Target value={name.value} />
            )}
          </p>
          <time
            dateTime={new Date(name.updatedAt).toISOString()}
            title={formatDateTime(name.updatedAt)}
            className="text-ink-soft"
          >
            {formatAgo(name.updatedAt)}
          </time>
        </div>
        <span className="relative">
          <ButtonMenu items={items} label={messages.names.actionsFor(label)}>
            <IconButton icon={Ellipsis} size="small" label={messages.names.actionsFor(label)} />
          </ButtonMenu>
        </span>
      </li>
    </AreaMenu>
  )
}

/** The name of the file that a name points to, or the target itself. */
function Target({ value }: { value: string }) {
  const element = useRef<HTMLSpanElement>(null)
  const name = useTargetName(value, element)
  return (
    <span ref={element} className={name === undefined ? 'font-mono' : undefined}>
      {name === undefined ? shorten(value, 16, 8) : <FileName name={name} />}
    </span>
  )
}
