import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ArrowLeft, Ellipsis, Send, Signpost } from '#icons'
import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { ButtonMenu } from '../ui/Menu.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { QueryPending } from '../ui/states/QueryView.tsx'
import { StaleBanner } from '../ui/states/StaleBanner.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { labelOf } from './label-of.ts'
import { NameHistory } from './NameHistory.tsx'
import { NameTarget } from './NameTarget.tsx'
import { useNameActions } from './use-name-actions.tsx'
import { useDeviceNames, useName } from './use-names.ts'

/** One name: its target, verified in this browser, and its past targets. */
export function NamePage({ session }: { session: Session }) {
  const { key } = useParams({ from: '/names/$key' })
  const navigate = useNavigate()
  const onDevice = useDeviceNames(session.address)
  const { data, error, refetch } = useName(session, key)
  const { itemsOf, publish, dialogs } = useNameActions({ onRemoved: () => void navigate({ to: '/names' }) })
  const back = (
    <Link
      to="/names"
      className="mb-1 inline-flex min-h-7 w-fit items-center gap-1.5 text-ink-soft text-sm hover:text-ink"
    >
      <ArrowLeft aria-hidden="true" size={15} />
      {messages.names.back}
    </Link>
  )
  if (data === undefined) {
    return (
      <>
        {back}
        <PageHeader title={messages.names.nameTitle} />
        <QueryPending query={{ error, refetch }} skeleton="h-40 w-full" />
      </>
    )
  }
  const { state, history } = data
  const isOnDevice = onDevice.has(state.name)
  const canPublish = state.keyHeld === 'service' || isOnDevice
  return (
    <>
      {back}
      <PageHeader title={labelOf(state)} hint={<ShortCode text={state.name} label={messages.names.copyName} />}>
        <div className="flex items-center gap-2">
          {canPublish ? (
            <Button kind="primary" onClick={() => publish(state)}>
              <Send aria-hidden="true" size={16} />
              {messages.names.publish}
            </Button>
          ) : undefined}
          <ButtonMenu items={itemsOf(state)} label={messages.names.actionsFor(labelOf(state))}>
            <IconButton icon={Ellipsis} label={messages.names.actionsFor(labelOf(state))} />
          </ButtonMenu>
        </div>
      </PageHeader>
      <StaleBanner error={error} />
      {isOnDevice ? (
        <p className="mb-4 max-w-prose text-ink-soft text-sm">{messages.names.deviceHint}</p>
      ) : canPublish ? undefined : (
        <p className="mb-4 max-w-prose text-ink-soft text-sm">{messages.names.ownerHint}</p>
      )}
      {state.value === null ? (
        <NeverPublished canPublish={canPublish} onPublish={() => publish(state)} />
      ) : (
        <div className="grid grid-cols-1 items-start gap-8 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <NameTarget session={session} state={state} value={state.value} />
          <NameHistory
            history={history}
            {...(canPublish ? { onPublishAgain: (value) => publish(state, value) } : {})}
          />
        </div>
      )}
      {dialogs}
    </>
  )
}

function NeverPublished({ canPublish, onPublish }: { canPublish: boolean; onPublish: () => void }) {
  return (
    <EmptyState icon={Signpost} title={messages.names.neverTitle} hint={messages.names.neverHint}>
      {canPublish ? <Button onClick={onPublish}>{messages.names.publish}</Button> : undefined}
    </EmptyState>
  )
}
