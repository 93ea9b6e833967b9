import { type ApiKeyInfo, listApiKeys, revokeApiKey } from '@cairn/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { KeyRound, Plus } from '#icons'
import { factSeparator, formatAgo, formatDateTime, formatUntil } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { keyIdOf } from '../session/key-id.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { QueryView } from '../ui/states/QueryView.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { Tag } from '../ui/values/Tag.tsx'
import { CreateApiKeyDialog } from './CreateApiKeyDialog.tsx'
import { rightsOf } from './key-rights.ts'
import { shownKeyName } from './shown-key-name.ts'

/** API keys: create, list, revoke. */
export function ApiKeysPage({ session }: { session: Session }) {
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
      toastDone(messages.apiKeys.revoked)
      setRevoking(undefined)
    },
    onError: (failure) => toastError(messages.apiKeys.revokeFailed, failure),
    onSettled: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  })
  const ownId = keyIdOf(session.apiKey)
  return (
    <>
      <PageHeader title={messages.pages.apiKeys} hint={messages.apiKeys.hint}>
        <Button kind="primary" onClick={() => setCreating(true)}>
          <Plus aria-hidden="true" size={16} />
          {messages.apiKeys.create}
        </Button>
      </PageHeader>
      <QueryView
        query={{ data, error, refetch }}
        skeleton="h-32 w-full"
        empty={<EmptyState icon={KeyRound} title={messages.apiKeys.emptyTitle} hint={messages.apiKeys.emptyHint} />}
      >
        {(data) => (
          <ul
            aria-label={messages.apiKeys.listLabel}
            className="divide-y divide-line rounded-lg border border-line bg-surface"
          >
            {data.map((key) => (
              <KeyRow key={key.id} info={key} isOwn={key.id === ownId} onRevoke={() => setRevoking(key)} />
            ))}
          </ul>
        )}
      </QueryView>
      {isCreating ? <CreateApiKeyDialog session={session} onClose={() => setCreating(false)} /> : undefined}
      <Confirm
        isOpen={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={messages.apiKeys.revokeTitle(revoking === undefined ? '' : shownKeyName(revoking.name))}
        hint={messages.apiKeys.revokeHint}
        confirmLabel={messages.apiKeys.revoke}
        isBusy={revoke.isPending}
        onConfirm={() => (revoking === undefined ? undefined : revoke.mutate(revoking.id))}
      />
    </>
  )
}

function KeyRow({ info, isOwn, onRevoke }: { info: ApiKeyInfo; isOwn: boolean; onRevoke: () => void }) {
  const { createdAt, lastUsedAt, expiresAt, scopes } = info
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-2 font-medium text-sm">
          {shownKeyName(info.name)}
          {isOwn ? <Tag tone="accent">{messages.apiKeys.thisSession}</Tag> : undefined}
          <Tag>{messages.apiKeys.rightsOf[rightsOf(scopes)]}</Tag>
        </p>
        <p className="text-ink-soft text-sm">
          <span title={formatDateTime(createdAt)}>{messages.apiKeys.created(formatAgo(createdAt))}</span>
          {factSeparator}
          {lastUsedAt === null ? (
            messages.apiKeys.neverUsed
          ) : (
            <span title={formatDateTime(lastUsedAt)}>{messages.apiKeys.lastUsed(formatAgo(lastUsedAt))}</span>
          )}
          {factSeparator}
          {expiresAt === null ? (
            messages.apiKeys.noEnd
          ) : (
            <span title={formatDateTime(expiresAt)}>
              {expiresAt > Date.now()
                ? messages.apiKeys.expires(formatUntil(expiresAt))
                : messages.apiKeys.expired(formatAgo(expiresAt))}
            </span>
          )}
        </p>
      </div>
      {isOwn ? undefined : (
        <Button size="small" onClick={onRevoke}>
          {messages.apiKeys.revoke} <span className="sr-only">{shownKeyName(info.name)}</span>
        </Button>
      )}
    </li>
  )
}
