import { type KeyFile, listKeyFiles } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { FileLock, Filter, Users } from '#icons'
import { useContacts } from '../contacts/use-contacts.ts'
import { plainSizeText } from '../content/plain-size.ts'
import { type FileInfo, nameOf, useFileInfo } from '../content/use-file-info.ts'
import { useIsFolder } from '../content/use-is-folder.ts'
import { usePlainSize } from '../content/use-plain-size.ts'
import { formatAgo, shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { getSession, useSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Segments } from '../ui/forms/Segments.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { QueryView } from '../ui/states/QueryView.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { ConnectKeys } from './ConnectKeys.tsx'

type Role = 'recipient' | 'owner'
const ContactList = lazyPart(async () => (await import('../contacts/ContactList.tsx')).ContactList)

/** Encrypted files shared with this account, and by it, and the address book. */
export function SharedPage() {
  const { by } = useSearch({ from: '/shared' })
  const navigate = useNavigate()
  const role: Role = by === 'me' ? 'owner' : 'recipient'
  return (
    <div className="flex w-full flex-1 flex-col">
      <PageHeader
        title={messages.pages.shared}
        hint={by === 'contacts' ? messages.contacts.hint : messages.access.sharedHint}
      >
        <Segments
          label={messages.pages.shared}
          value={by === 'contacts' ? by : role}
          options={[
            { value: 'recipient', label: messages.access.sharedWithMe },
            { value: 'owner', label: messages.access.sharedByMe },
            { value: 'contacts', label: messages.access.sharedContacts },
          ]}
          onChange={(next) =>
            void navigate({
              to: '/shared',
              search: next === 'owner' ? { by: 'me' } : next === 'contacts' ? { by: 'contacts' } : {},
            })
          }
        />
      </PageHeader>
      {by === 'contacts' ? (
        <Suspense fallback={<Skeleton className="h-32 w-full" />}>
          <ContactList />
        </Suspense>
      ) : (
        <SharedFiles key={role} role={role} />
      )}
    </div>
  )
}

/** Rows shown initially, and added per click. */
const pageRows = 50

function SharedFiles({ role }: { role: Role }) {
  const network = useNetwork()
  const session = useSession()
  const [shown, setShown] = useState(pageRows)
  const { data, error, refetch } = useQuery({
    queryKey: ['key-files', role],
    queryFn: async ({ signal }) => {
      const files: KeyFile[] = []
      for await (const file of listKeyFiles(clientOf(network, getSession()), role, { signal })) {
        // Only those of the user's own files that others can open.
        if (role === 'recipient' || file.sharedTo.length > 0 || file.hasConditions) files.push(file)
      }
      return files.sort((a, b) => b.updatedAt - a.updatedAt)
    },
    enabled: session?.keySession !== undefined,
  })
  if (network.keyRouter === undefined && network.keyNodes === undefined) {
    return <EmptyState icon={Users} title={messages.places.noKeyNodes} hint={messages.places.noKeyNodesHint} />
  }
  if (session?.keySession === undefined) {
    return (
      <ConnectKeys
        icon={Users}
        title={messages.access.askTitle}
        hint={messages.access.sharedAsk}
        label={messages.access.sharedShow}
      />
    )
  }
  return (
    <QueryView
      query={{ data, error, refetch }}
      skeleton={
        <div className="flex flex-col gap-2">
          <Skeleton className="h-14 w-full" />
          <Skeleton className="h-14 w-full" />
          <Skeleton className="h-14 w-full" />
        </div>
      }
      empty={
        role === 'recipient' ? (
          <EmptyState icon={Users} title={messages.access.sharedNoneWith} hint={messages.access.sharedNoneWithHint}>
            <ShortCode text={session.address} label={messages.session.copyAddress} />
          </EmptyState>
        ) : (
          <EmptyState icon={Users} title={messages.access.sharedNoneBy} hint={messages.access.sharedNoneByHint}>
            <Link to="/files" className={buttonClass('primary')}>
              {messages.access.sharedGoFiles}
            </Link>
          </EmptyState>
        )
      }
    >
      {(data) => (
        <>
          <ul
            aria-label={role === 'owner' ? messages.access.sharedByMe : messages.access.sharedWithMe}
            className="divide-y divide-line rounded-lg border border-line bg-surface"
          >
            {data.slice(0, shown).map((file) => (
              <SharedRow key={file.cid} file={file} role={role} />
            ))}
          </ul>
          {data.length > shown ? (
            <Button className="mt-4 self-center" onClick={() => setShown(shown + pageRows)}>
              {messages.access.sharedMore}
            </Button>
          ) : undefined}
        </>
      )}
    </QueryView>
  )
}

/** One file: its name if the service knows it, its owner, or how many addresses can open it. */
function SharedRow({
  file: { cid, owner, sharedTo, hasConditions, state, updatedAt },
  role,
}: {
  file: KeyFile
  role: Role
}) {
  const { data } = useFileInfo(cid)
  const label = useContacts().labelOf(owner)
  const name = data === undefined || data.fileName === '' ? messages.access.sharedUnnamed : nameOf(data)
  const linkClass = 'truncate font-medium text-sm after:absolute after:inset-0 hover:underline'
  return (
    <li className="relative flex items-center gap-3 px-3 py-2.5 hover:bg-hover sm:px-4">
      <FileLock aria-hidden="true" size={20} strokeWidth={1.7} className="shrink-0 text-accent-ink" />
      <div className="flex min-w-0 flex-1 flex-col">
        {role === 'owner' ? (
          <Link to="/files/$cid/access" params={{ cid }} title={name} className={linkClass}>
            <bdi>{name}</bdi>
          </Link>
        ) : (
          <Link to="/open/$cid" params={{ cid }} title={name} className={linkClass}>
            <bdi>{name}</bdi>
          </Link>
        )}
        <p className="flex flex-wrap items-center gap-x-3 text-ink-soft text-sm">
          {role === 'owner' ? (
            sharedTo.length > 0 ? (
              <span>{messages.access.peopleCount(sharedTo.length)}</span>
            ) : undefined
          ) : (
            <span title={owner}>
              {messages.access.sharedOwner}{' '}
              {label === undefined ? <span className="font-mono">{shorten(owner)}</span> : <bdi>{label}</bdi>}
            </span>
          )}
          {data === undefined ? undefined : <SharedSize info={data} />}
          <span>{formatAgo(updatedAt)}</span>
        </p>
      </div>
      <div className="flex shrink-0 items-center gap-2">
        {hasConditions ? <Tag icon={Filter}>{messages.access.sharedConditions}</Tag> : undefined}
        {state === 'retired' ? <Tag tone="warn">{messages.access.sharedRetired}</Tag> : undefined}
        <span className="relative max-sm:hidden">
          <ShortCode text={cid} label={messages.files.copyCid} />
        </span>
      </div>
    </li>
  )
}

function SharedSize({ info }: { info: FileInfo }) {
  const { isFolder } = useIsFolder(info)
  const sizeBytes = Number(info.fileSizeInBytes)
  const folderSize = usePlainSize({ cid: info.cid, sizeBytes, isEncrypted: true, isFolder: isFolder || undefined })
  return (
    <span className="tabular">
      {isFolder === false
        ? plainSizeText([{ sizeBytes, isEncrypted: true }])
        : (folderSize ?? messages.files.encryptedSize(sizeBytes))}
    </span>
  )
}
