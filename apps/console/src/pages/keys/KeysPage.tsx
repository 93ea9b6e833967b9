import { type ApiKeyInfo, createApiKey, listApiKeys, revokeApiKey } from '@cairn/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useConfig } from 'wagmi'
import { signMessage } from 'wagmi/actions'
import { isAborted } from '../../session/is-aborted.ts'
import { SignInGate } from '../../session/SignInGate.tsx'
import type { Session } from '../../session/session-store.ts'
import { sessionKeyName } from '../../session/sign-in.ts'
import { useClient } from '../../session/use-client.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Confirm.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { toastDone, toastError } from '../../ui/toast-store.ts'
import { formatAgo, formatDateTime } from '../../words/format.ts'
import { words } from '../../words/words.ts'

/** API keys: made, shown once, revoked. */
export function KeysPage() {
  return <SignInGate>{(session) => <Keys session={session} />}</SignInGate>
}

function Keys({ session }: { session: Session }) {
  const client = useClient()
  const queries = useQueryClient()
  const [isCreating, setCreating] = useState(false)
  const [revoking, setRevoking] = useState<ApiKeyInfo>()
  const { data, error, refetch } = useQuery({
    queryKey: ['api-keys', session.address],
    queryFn: ({ signal }) => listApiKeys(client, { signal }),
  })
  const revoke = useMutation({
    mutationFn: (id: string) => revokeApiKey(client, id),
    onSuccess: () => {
      toastDone(words.keys.revoked)
      setRevoking(undefined)
    },
    onError: (fault) => toastError(words.keys.revokeFailed, fault),
    onSettled: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  const ownId = /^cairn_([0-9a-z]+)_/.exec(session.apiKey)?.[1]
  return (
    <>
      <PageHeader title={words.keys.title} hint={words.keys.hint}>
        <Button kind="primary" onClick={() => setCreating(true)}>
          <Plus aria-hidden="true" size={16} />
          {words.keys.create}
        </Button>
      </PageHeader>
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-32 w-full" />
        ) : (
          <ErrorState error={error} onRetry={() => refetch()} />
        )
      ) : data.length === 0 ? (
        <EmptyState icon={KeyRound} title={words.keys.emptyTitle} hint={words.keys.emptyHint} />
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {data.map((key) => (
            <li key={key.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
              <div className="min-w-0 flex-1 basis-60">
                <p className="flex flex-wrap items-center gap-2 font-medium text-sm">
                  {key.name === '' ? words.keys.unnamed : key.name}
                  {key.id === ownId ? <Tag tone="accent">{words.keys.thisSession}</Tag> : undefined}
                </p>
                <p className="text-ink-soft text-sm">
                  <span title={formatDateTime(key.createdAt)}>{words.keys.created(formatAgo(key.createdAt))}</span>
                  {' · '}
                  {key.lastUsedAt === null ? words.keys.neverUsed : words.keys.lastUsed(formatAgo(key.lastUsedAt))}
                  {' · '}
                  {key.expiresAt === null ? words.keys.noEnd : words.keys.ends(formatAgo(key.expiresAt))}
                </p>
              </div>
              {key.id === ownId ? undefined : (
                <Button size="small" aria-label={words.keys.revokeNamed(key.name)} onClick={() => setRevoking(key)}>
                  {words.keys.revoke}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isCreating ? <CreateKey session={session} onClose={() => setCreating(false)} /> : undefined}
      <Confirm
        isOpen={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={words.keys.revokeTitle(revoking?.name ?? '')}
        hint={words.keys.revokeHint}
        confirmLabel={words.keys.revoke}
        isBusy={revoke.isPending}
        onConfirm={() => (revoking === undefined ? undefined : revoke.mutate(revoking.id))}
      />
    </>
  )
}

function CreateKey({ session, onClose }: { session: Session; onClose: () => void }) {
  const client = useClient()
  const config = useConfig()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () =>
      createApiKey(
        client,
        {
          address: session.address,
          sign: (message) => signMessage(config, { message, account: `0x${session.address.slice(2)}` }),
        },
        { name: name.trim() === sessionKeyName ? `${sessionKeyName} (copy)` : name.trim() },
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  const isFailed = create.error !== null && !isAborted(create.error)
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={create.data === undefined ? words.keys.createTitle : words.keys.onceTitle}
      hint={create.data === undefined ? words.keys.createHint : words.keys.onceHint}
      footer={
        create.data === undefined ? (
          <>
            <Button onClick={onClose}>{words.shell.cancel}</Button>
            <Button kind="primary" type="submit" form="create-key" isBusy={create.isPending}>
              {create.isPending ? words.session.keysSigning : words.keys.createGo}
            </Button>
          </>
        ) : (
          <Button kind="primary" onClick={onClose}>
            {words.keys.done}
          </Button>
        )
      }
    >
      {create.data === undefined ? (
        <form
          id="create-key"
          onSubmit={(event) => {
            event.preventDefault()
            create.mutate()
          }}
        >
          <TextField
            label={words.keys.name}
            hint={words.keys.nameHint}
            value={name}
            maxLength={100}
            onChange={({ target }) => setName(target.value)}
          />
          {isFailed ? <ErrorState error={create.error} /> : undefined}
          {create.error !== null && !isFailed ? (
            <p role="alert" className="mt-3 text-sm text-warn">
              {words.session.rejectedTitle}
            </p>
          ) : undefined}
        </form>
      ) : (
        <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-3">
          <code className="min-w-0 flex-1 break-all font-mono text-sm">{create.data}</code>
          <CopyButton text={create.data} />
        </p>
      )}
    </Modal>
  )
}
