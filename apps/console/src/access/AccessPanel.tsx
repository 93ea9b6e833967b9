import { zeroAddress } from '@cairn/protocol'
import { CairnError, type KeyReport } from '@cairn/sdk'
import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { KeyRound, Link2, UserPlus } from '#icons'
import { RunningChange } from '../key-changes/RunningChange.tsx'
import { useKeyChange } from '../key-changes/use-key-change.ts'
import { useKeyReport } from '../key-changes/use-key-report.ts'
import { messages } from '../messages/messages.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { AccessFailure } from '../preview/AccessFailure.tsx'
import { useSession } from '../session/session-store.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { ConnectKeys } from './ConnectKeys.tsx'
import { KeyNodes } from './KeyNodes.tsx'
import { PeopleList } from './PeopleList.tsx'
import { PartContext, Section } from './Section.tsx'
import { ShareDialog } from './ShareDialog.tsx'
import { TransferDialog } from './TransferDialog.tsx'

const FileKeyEvents = lazyPart(async () => (await import('../activity/FileKeyEvents.tsx')).FileKeyEvents)
const LinkList = lazyPart(async () => (await import('../links/LinkList.tsx')).LinkList)
const CreateLinkDialog = lazyPart(async () => (await import('../links/CreateLinkDialog.tsx')).CreateLinkDialog, 'toast')

/**
 * Shows the addresses with access to an encrypted file or folder and the state on each key node, and lets its owner change them.
 */
export function AccessPanel({
  cid,
  name,
  isFolder,
  conditions,
  isSharing = false,
  onSharing,
}: {
  cid: string
  name: string
  isFolder: boolean
  /** The conditions, on the access page; elsewhere a summary is shown. */
  conditions?: ReactNode
  /** Opens the share dialog initially, if the user followed a link to share. */
  isSharing?: boolean
  /** Called when that dialog is closed. */
  onSharing?: () => void
}) {
  const session = useSession()
  const { data, error, refetch } = useKeyReport(cid)
  // The last known state stays visible after an error, unless the nodes report that the user has no access.
  const isRefused = CairnError.is(error, 'ACCESS_DENIED') || CairnError.is(error, 'KEY_NOT_FOUND')
  if (data !== undefined && !isRefused) {
    return (
      <>
        {error === null ? undefined : (
          <p role="status" className="mb-4 rounded-lg bg-warn-soft p-3 text-sm text-warn">
            {messages.shell.errorOld}
          </p>
        )}
        <PartContext value={conditions === undefined}>
          <Report {...{ name, isFolder, conditions, isSharing, onSharing }} report={data} />
        </PartContext>
      </>
    )
  }
  if (error !== null) return <AccessFailure cid={cid} isFolder={isFolder} error={error} onRetry={() => refetch()} />
  if (session?.keySession === undefined) {
    return (
      <ConnectKeys
        icon={KeyRound}
        title={messages.access.askTitle}
        hint={messages.access.askHint}
        label={messages.access.show}
      />
    )
  }
  return (
    <div className="flex flex-col gap-4">
      <Skeleton className="h-12 w-full" />
      <Skeleton className="h-24 w-full" />
      <Skeleton className="h-48 w-full" />
    </div>
  )
}

type ShownReport = {
  report: KeyReport
  name: string
  isFolder: boolean
  conditions: ReactNode
  isSharing: boolean
  onSharing: (() => void) | undefined
}

function Report({ report, name, isFolder, conditions, isSharing, onSharing }: ShownReport) {
  const { cid, agreed } = report
  const viewer = useSession()?.keySession?.address
  const { running, start } = useKeyChange(cid)
  const [dialog, setDialog] = useState<'share' | 'link' | 'transfer' | undefined>(isSharing ? 'share' : undefined)
  const owner = agreed?.owner ?? ''
  const role = agreed === undefined ? 'reader' : roleOf(viewer, agreed)
  const isOwner = role === 'owner'
  const close = () => {
    setDialog(undefined)
    if (isSharing) onSharing?.()
  }
  return (
    <div className="flex flex-col gap-7">
      {running === undefined ? undefined : <RunningChange transfer={running} />}
      {agreed === undefined ? undefined : (
        <>
          <Owner owner={owner} role={role} isFolder={isFolder} />
          {role === 'former' ? undefined : (
            <Section
              title={messages.access.people}
              action={
                isOwner ? (
                  <Button kind="primary" size="small" onClick={() => setDialog('share')}>
                    <UserPlus aria-hidden="true" size={16} />
                    {messages.access.share}
                  </Button>
                ) : undefined
              }
            >
              <PeopleList cid={cid} name={name} sharedTo={agreed.sharedTo} canChange={isOwner} start={start} />
            </Section>
          )}
          {isOwner ? <OwnSections cid={cid} isFolder={isFolder} onCreateLink={() => setDialog('link')} /> : undefined}
          {conditions ??
            (role === 'former' ? undefined : (
              <ConditionsSummary cid={cid} hasConditions={agreed.hasConditions} isOwner={isOwner} />
            ))}
        </>
      )}
      <KeyNodes report={report} name={name} isChanging={running !== undefined} start={start} />
      {isOwner ? (
        <div className="border-line border-t pt-5">
          <Button onClick={() => setDialog('transfer')}>{messages.access.transfer}</Button>
        </div>
      ) : undefined}
      {dialog === 'share' && isOwner && agreed !== undefined ? (
        <ShareDialog
          cid={cid}
          name={name}
          isFolder={isFolder}
          owner={owner}
          sharedTo={agreed.sharedTo}
          onClose={close}
          onLink={() => setDialog('link')}
          start={start}
        />
      ) : undefined}
      {dialog === 'link' ? (
        <Suspense>
          <CreateLinkDialog cid={cid} name={name} onClose={close} />
        </Suspense>
      ) : undefined}
      {dialog === 'transfer' ? (
        <TransferDialog cid={cid} name={name} owner={owner} onClose={close} start={start} />
      ) : undefined}
    </div>
  )
}

/** `former`: owned it before. May still query, to complete an interrupted transfer, but does not see people and conditions. */
type Role = 'owner' | 'reader' | 'former'

function roleOf(viewer: string | undefined, { owner, sharedTo }: NonNullable<KeyReport['agreed']>): Role {
  if (owner !== '' && owner === viewer) return 'owner'
  return owner === zeroAddress || sharedTo.includes(viewer ?? '') ? 'reader' : 'former'
}

function Owner({ owner, role, isFolder }: { owner: string; role: Role; isFolder: boolean }) {
  if (owner === zeroAddress)
    return (
      <Section title={messages.access.owner}>
        <p className="text-sm">
          {messages.access.noOwner}. <span className="text-ink-soft">{messages.access.noOwnerHint}</span>
        </p>
      </Section>
    )
  return (
    <Section title={messages.access.owner}>
      <p className="flex flex-wrap items-center gap-2">
        <ShortCode text={owner} label={messages.session.copyAddress} />
        {role === 'owner' ? <Tag tone="accent">{messages.access.you}</Tag> : undefined}
      </p>
      {role === 'owner' ? undefined : (
        <p className="mt-1 text-ink-soft text-sm">
          {role === 'former' ? messages.access.former(isFolder) : messages.access.readOnly(isFolder)}
        </p>
      )}
    </Section>
  )
}

/** What only the owner sees: links to the file, and what the key nodes recorded. */
function OwnSections({ cid, isFolder, onCreateLink }: { cid: string; isFolder: boolean; onCreateLink: () => void }) {
  return (
    <>
      <Section
        title={messages.access.links}
        action={
          <Button size="small" onClick={onCreateLink}>
            <Link2 aria-hidden="true" size={16} />
            {messages.access.linkMake}
          </Button>
        }
      >
        <Suspense fallback={<Skeleton className="h-12 w-full" />}>
          <LinkList cid={cid} isFolder={isFolder} />
        </Suspense>
      </Section>
      <Section title={messages.pages.activity}>
        <Suspense fallback={<Skeleton className="h-12 w-full" />}>
          <FileKeyEvents cid={cid} />
        </Suspense>
      </Section>
    </>
  )
}

function ConditionsSummary({ cid, hasConditions, isOwner }: { cid: string; hasConditions: boolean; isOwner: boolean }) {
  const { access } = messages
  const existing = isOwner ? access.conditionsEdit : access.conditionsShow
  return (
    <Section title={access.conditions}>
      <p className="mb-2 text-sm">{hasConditions ? access.conditionsSome : access.conditionsNone}</p>
      {hasConditions || isOwner ? (
        <Link to="/files/$cid/access" params={{ cid }} className={buttonClass('plain', 'small')}>
          {hasConditions ? existing : access.conditionsGo}
        </Link>
      ) : undefined}
    </Section>
  )
}
