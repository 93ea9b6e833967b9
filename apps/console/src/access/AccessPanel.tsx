import { zeroAddress } from '@cairn/protocol'
import { CairnError, type KeyReport, repairKey } from '@cairn/sdk'
import { Link } from '@tanstack/react-router'
import { createContext, type ReactNode, use, useState } from 'react'
import { KeyRound, UserPlus, Wrench } from '#icons'
import { isAborted } from '../session/is-aborted.ts'
import { useSession } from '../session/session-store.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { ShortCode } from '../ui/ShortCode.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { toastError } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'
import { AccessFault } from './AccessFault.tsx'
import { AskKeys } from './AskKeys.tsx'
import { NodesHeld } from './NodesHeld.tsx'
import { PeopleList } from './PeopleList.tsx'
import { RunningChange } from './RunningChange.tsx'
import { ShareDialog } from './ShareDialog.tsx'
import { TransferDialog } from './TransferDialog.tsx'
import { useKeyChange } from './use-key-change.ts'
import { useKeyReport } from './use-key-report.ts'

/** Who can open an encrypted file, what each key node holds, and for its owner the changes to that. */
export function AccessPanel({
  cid,
  name,
  conditions,
  isSharing = false,
  onSharing,
}: {
  cid: string
  name: string
  /** The conditions, on the page that is all about access; elsewhere they are told in a word. */
  conditions?: ReactNode
  /** Begins with the dialog that shares, because that is what its reader came for. */
  isSharing?: boolean
  /** Called when that dialog is closed. */
  onSharing?: () => void
}) {
  const session = useSession()
  const { data, error, refetch } = useKeyReport(cid)
  // What was known before stays in view through a fault, but not once the nodes say that it is none of his business.
  const isRefused = CairnError.is(error, 'ACCESS_DENIED') || CairnError.is(error, 'KEY_NOT_FOUND')
  if (data !== undefined && !isRefused) {
    return (
      <>
        {error === null ? undefined : (
          <p role="status" className="mb-4 rounded-lg bg-warn-soft p-3 text-sm text-warn">
            {words.shell.errorOld}
          </p>
        )}
        <PartContext value={conditions === undefined}>
          <Report report={data} name={name} conditions={conditions} isSharing={isSharing} onSharing={onSharing} />
        </PartContext>
      </>
    )
  }
  if (error !== null) return <AccessFault cid={cid} error={error} onRetry={() => refetch()} />
  if (session?.keySession === undefined) {
    return (
      <AskKeys icon={KeyRound} title={words.access.askTitle} hint={words.access.askHint} label={words.access.show} />
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
  conditions,
  isSharing,
  onSharing,
}: {
  report: KeyReport
  name: string
  conditions: ReactNode
  isSharing: boolean
  onSharing: (() => void) | undefined
}) {
  const { cid, agreed, health, nodes } = report
  const session = useSession()
  const { running, start } = useKeyChange(cid)
  const [dialog, setDialog] = useState<'share' | 'transfer' | undefined>(isSharing ? 'share' : undefined)
  const owner = agreed?.owner ?? ''
  const isOwner = owner !== '' && owner === session?.keySession?.address
  // The owner before may still ask, to finish what was cut off; people and conditions are not told to him.
  const isFormer =
    agreed !== undefined &&
    !isOwner &&
    owner !== zeroAddress &&
    !agreed.sharedTo.includes(session?.keySession?.address ?? '')
  const repair = async () => {
    try {
      await start({
        name: words.access.pendingRepair(name),
        run: (client, { signal }) => repairKey(client, cid, signal === undefined ? {} : { signal }),
      })
    } catch (fault) {
      if (!isAborted(fault)) toastError(words.access.repair, fault)
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
          <Section title={words.access.owner}>
            {owner === zeroAddress ? (
              <p className="text-sm">
                {words.access.noOwner}. <span className="text-ink-soft">{words.access.noOwnerHint}</span>
              </p>
            ) : (
              <p className="flex flex-wrap items-center gap-2">
                <ShortCode text={owner} label={words.session.copyAddress} />
                {isOwner ? <Tag tone="accent">{words.access.you}</Tag> : undefined}
              </p>
            )}
            {isOwner || owner === zeroAddress ? undefined : (
              <p className="mt-1 text-ink-soft text-sm">{isFormer ? words.access.former : words.access.readOnly}</p>
            )}
          </Section>
          {isFormer ? undefined : (
            <Section
              title={words.access.people}
              action={
                isOwner ? (
                  <Button kind="primary" size="small" onClick={() => setDialog('share')}>
                    <UserPlus aria-hidden="true" size={16} />
                    {words.access.share}
                  </Button>
                ) : undefined
              }
            >
              <PeopleList cid={cid} name={name} sharedTo={agreed.sharedTo} canChange={isOwner} start={start} />
            </Section>
          )}
          {conditions ??
            (isFormer ? undefined : (
              <Section title={words.access.conditions}>
                <p className="mb-2 text-sm">
                  {agreed.hasConditions ? words.access.conditionsSome : words.access.conditionsNone}
                </p>
                {!agreed.hasConditions && !isOwner ? undefined : (
                  <Link to="/files/$cid/access" params={{ cid }} className={buttonClass('plain', 'small')}>
                    {agreed.hasConditions
                      ? isOwner
                        ? words.access.conditionsEdit
                        : words.access.conditionsShow
                      : words.access.conditionsGo}
                  </Link>
                )}
              </Section>
            ))}
        </>
      )}
      <Section title={words.access.nodes} action={<Tag tone={tones[health]}>{words.access.health[health]}</Tag>}>
        <p className="mb-2 text-ink-soft text-sm">{words.access.nodesHint}</p>
        <NodesHeld nodes={nodes} />
        {health === 'whole' ? undefined : (
          <div className="mt-3 flex flex-wrap items-center gap-3 rounded-lg bg-warn-soft p-3 text-sm text-warn">
            <p className="min-w-0 flex-1 basis-56">{words.access.healthHint[health]}</p>
            <Button size="small" isBusy={running !== undefined} onClick={() => void repair()}>
              <Wrench aria-hidden="true" size={16} />
              {words.access.repair}
            </Button>
          </div>
        )}
      </Section>
      {isOwner ? (
        <div className="border-line border-t pt-5">
          <Button onClick={() => setDialog('transfer')}>{words.access.transfer}</Button>
        </div>
      ) : undefined}
      {dialog === 'share' && isOwner && agreed !== undefined ? (
        <ShareDialog cid={cid} name={name} owner={owner} sharedTo={agreed.sharedTo} onClose={close} start={start} />
      ) : undefined}
      {dialog === 'transfer' ? (
        <TransferDialog cid={cid} name={name} owner={owner} onClose={close} start={start} />
      ) : undefined}
    </div>
  )
}

/** In a drawer its title is the heading above; on a page of its own the page's. */
const PartContext = createContext(false)

function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  const Heading = use(PartContext) ? 'h3' : 'h2'
  return (
    <section>
      <div className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-2">
        <Heading className="font-semibold text-sm">{title}</Heading>
        {action}
      </div>
      {children}
    </section>
  )
}
