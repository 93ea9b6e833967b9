import { zeroAddress } from '@cairn/protocol'
import { CairnError, type KeyReport, repairKey } from '@cairn/sdk'
import { Link } from '@tanstack/react-router'
import { createContext, type ReactNode, Suspense, use, useId, useState } from 'react'
import { KeyRound, Link2, UserPlus, Wrench } from '#icons'
import { RunningChange } from '../key-changes/RunningChange.tsx'
import { useKeyChange } from '../key-changes/use-key-change.ts'
import { useKeyReport } from '../key-changes/use-key-report.ts'
import { messages } from '../messages/messages.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { AccessFailure } from '../preview/AccessFailure.tsx'
import { isAborted } from '../session/is-aborted.ts'
import { ReachNodes } from '../session/ReachNodes.tsx'
import { useSession } from '../session/session-store.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { ShortCode } from '../ui/ShortCode.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { toastError } from '../ui/toast-store.ts'
import { ConnectKeys } from './ConnectKeys.tsx'
import { NodesHeld } from './NodesHeld.tsx'
import { PeopleList } from './PeopleList.tsx'
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

const tones = { whole: 'good', usable: 'warn', split: 'bad' } as const

function Report({
  report,
  name,
  isFolder,
  conditions,
  isSharing,
  onSharing,
}: {
  report: KeyReport
  name: string
  isFolder: boolean
  conditions: ReactNode
  isSharing: boolean
  onSharing: (() => void) | undefined
}) {
  const { cid, agreed, health, nodes } = report
  const session = useSession()
  const { running, start } = useKeyChange(cid)
  const [dialog, setDialog] = useState<'share' | 'link' | 'transfer' | undefined>(isSharing ? 'share' : undefined)
  const owner = agreed?.owner ?? ''
  const isOwner = owner !== '' && owner === session?.keySession?.address
  // The previous owner may still query, to complete an interrupted transfer, but does not see people and conditions.
  const isFormer =
    agreed !== undefined &&
    !isOwner &&
    owner !== zeroAddress &&
    !agreed.sharedTo.includes(session?.keySession?.address ?? '')
  const repair = async () => {
    const failedName = messages.access.failedRepair(name)
    try {
      await start({
        name: messages.access.pendingRepair(name),
        doneName: messages.access.doneRepair(name),
        failedName,
        run: (client, { signal }) => repairKey(client, cid, signal === undefined ? {} : { signal }),
      })
    } catch (failure) {
      if (!isAborted(failure)) toastError(failedName, failure)
    }
  }
  const close = () => {
    setDialog(undefined)
    if (isSharing) onSharing?.()
  }
  return (
    <div className="flex flex-col gap-7">
      {running === undefined ? undefined : <RunningChange transfer={running} />}
      {agreed === undefined ? undefined : (
        <>
          <Section title={messages.access.owner}>
            {owner === zeroAddress ? (
              <p className="text-sm">
                {messages.access.noOwner}. <span className="text-ink-soft">{messages.access.noOwnerHint}</span>
              </p>
            ) : (
              <p className="flex flex-wrap items-center gap-2">
                <ShortCode text={owner} label={messages.session.copyAddress} />
                {isOwner ? <Tag tone="accent">{messages.access.you}</Tag> : undefined}
              </p>
            )}
            {isOwner || owner === zeroAddress ? undefined : (
              <p className="mt-1 text-ink-soft text-sm">
                {isFormer ? messages.access.former(isFolder) : messages.access.readOnly(isFolder)}
              </p>
            )}
          </Section>
          {isFormer ? undefined : (
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
          {isOwner ? (
            <Section
              title={messages.access.links}
              action={
                <Button size="small" onClick={() => setDialog('link')}>
                  <Link2 aria-hidden="true" size={16} />
                  {messages.access.linkMake}
                </Button>
              }
            >
              <Suspense fallback={<Skeleton className="h-12 w-full" />}>
                <LinkList cid={cid} isFolder={isFolder} />
              </Suspense>
            </Section>
          ) : undefined}
          {isOwner ? (
            <Section title={messages.pages.activity}>
              <Suspense fallback={<Skeleton className="h-12 w-full" />}>
                <FileKeyEvents cid={cid} />
              </Suspense>
            </Section>
          ) : undefined}
          {conditions ??
            (isFormer ? undefined : (
              <Section title={messages.access.conditions}>
                <p className="mb-2 text-sm">
                  {agreed.hasConditions ? messages.access.conditionsSome : messages.access.conditionsNone}
                </p>
                {!agreed.hasConditions && !isOwner ? undefined : (
                  <Link to="/files/$cid/access" params={{ cid }} className={buttonClass('plain', 'small')}>
                    {agreed.hasConditions
                      ? isOwner
                        ? messages.access.conditionsEdit
                        : messages.access.conditionsShow
                      : messages.access.conditionsGo}
                  </Link>
                )}
              </Section>
            ))}
        </>
      )}
      <Section title={messages.access.nodes} action={<Tag tone={tones[health]}>{messages.access.health[health]}</Tag>}>
        <p className="mb-2 text-ink-soft text-sm">{messages.access.nodesHint}</p>
        <NodesHeld nodes={nodes} />
        {health === 'whole' ? undefined : (
          <div className="mt-3 flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft p-3 text-sm text-warn">
            <p className="min-w-0 flex-1 basis-56">{messages.access.healthHint[health]}</p>
            <ReachNodes />
            <Button size="small" isBusy={running !== undefined} onClick={() => void repair()}>
              <Wrench aria-hidden="true" size={16} />
              {messages.access.repair}
            </Button>
          </div>
        )}
      </Section>
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

/** In a drawer its title is the heading above; on a separate page that of the page. */
const PartContext = createContext(false)

function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  const Heading = use(PartContext) ? 'h3' : 'h2'
  const headingId = useId()
  return (
    <section aria-labelledby={headingId}>
      <div className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-2">
        <Heading id={headingId} className="font-semibold text-sm">
          {title}
        </Heading>
        {action}
      </div>
      {children}
    </section>
  )
}
