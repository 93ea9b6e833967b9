import { createApiKey, revokeApiKey } from '@cairn/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useConfig } from 'wagmi'
import { Download } from '#icons'
import { saveText } from '../browser/save-text.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { requireWallet } from '../session/connected-wallet.ts'
import { isAborted } from '../session/is-aborted.ts'
import { keyIdOf } from '../session/key-id.ts'
import { sessionKeyName } from '../session/session-key-name.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { useRevokeUnseen } from '../session/use-revoke-unseen.ts'
import { Button } from '../ui/Button.tsx'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { Choice } from '../ui/forms/Choice.tsx'
import { Segments } from '../ui/forms/Segments.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { CodeLine } from '../ui/values/CodeLine.tsx'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { useRejectedSignature } from '../wallet/rejections.ts'
import { type Rights, rights, scopesOf } from './key-rights.ts'

const dayMs = 24 * 3_600_000
const lifetimesMs = { month: 30 * dayMs, quarter: 90 * dayMs, year: 365 * dayMs, never: null }
type Lifetime = keyof typeof lifetimesMs
const lifetimes: readonly Lifetime[] = ['month', 'quarter', 'year', 'never']

/** Creates an API key with one signature. The key is shown once; one that comes after the dialog was closed is revoked. */
export function CreateApiKeyDialog({ session: { address }, onClose }: { session: Session; onClose: () => void }) {
  const client = useClient()
  const config = useConfig()
  const queries = useQueryClient()
  const rejected = useRejectedSignature()
  const [name, setName] = useState('')
  const [right, setRight] = useState<Rights>('write')
  const [lifetime, setLifetime] = useState<Lifetime>('quarter')
  const revokeUnseen = useRevokeUnseen((own, apiKey: string) => revokeApiKey(own, keyIdOf(apiKey) ?? ''), {
    revoked: messages.apiKeys.revoked,
    reason: messages.apiKeys.unseen,
    stillValid: messages.apiKeys.unseenValid,
  })
  const create = useMutation({
    mutationFn: async () => {
      const lifetimeMs = lifetimesMs[lifetime]
      // The key of the session is identified by its name, so no other key may have it.
      const wanted = name.trim() === sessionKeyName ? `${sessionKeyName} (copy)` : name.trim()
      return createApiKey(client, requireWallet(config, address), {
        name: wanted,
        scopes: [...scopesOf[right]],
        expiresAt: lifetimeMs === null ? null : Date.now() + lifetimeMs,
      })
    },
    onSuccess: revokeUnseen,
    onSettled: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
    gcTime: 0,
  })
  const { data: apiKey, error } = create
  if (apiKey !== undefined) return <ShowKey apiKey={apiKey} name={name.trim()} onClose={onClose} />
  return (
    <FormDialog
      onClose={onClose}
      title={messages.apiKeys.createTitle}
      hint={messages.apiKeys.createHint}
      submitLabel={create.isPending ? messages.signature.keysSigning : messages.apiKeys.createGo}
      isBusy={create.isPending}
      onSubmit={() => create.mutate()}
    >
      <TextField
        label={messages.apiKeys.name}
        hint={messages.apiKeys.nameHint}
        value={name}
        maxLength={100}
        onChange={({ target }) => setName(target.value)}
      />
      <Choice
        label={messages.apiKeys.may}
        value={right}
        options={rights.map((value) => ({ value, ...messages.apiKeys.rights[value] }))}
        onChange={setRight}
      />
      <div>
        <Segments
          label={messages.apiKeys.lifetime}
          isLabelShown
          value={lifetime}
          options={lifetimes.map((value) => ({ value, label: messages.apiKeys.lifetimes[value] }))}
          onChange={setLifetime}
        />
        {lifetime === 'never' ? (
          <p className="mt-2 text-ink-soft text-sm">{messages.apiKeys.lifetimeNever}</p>
        ) : undefined}
      </div>
      {error === null ? undefined : isAborted(error) ? (
        <p role="alert" className="text-sm text-warn">
          {rejected.title}
        </p>
      ) : (
        <ErrorState error={error} />
      )}
    </FormDialog>
  )
}

function ShowKey({ apiKey, name, onClose }: { apiKey: string; name: string; onClose: () => void }) {
  const { api } = useNetwork()
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={messages.apiKeys.onceTitle}
      hint={messages.apiKeys.onceHint}
      footer={
        <>
          <Button onClick={() => saveText(`${name === '' ? 'cairn' : name}.apikey.txt`, `${apiKey}\n`)}>
            <Download aria-hidden="true" size={16} />
            {messages.apiKeys.download}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {messages.apiKeys.done}
          </Button>
        </>
      }
    >
      <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-3">
        <code className="min-w-0 flex-1 break-all font-mono text-sm">{apiKey}</code>
        {/* Not the close button: what closes now is lost. */}
        <CopyButton text={apiKey} label={messages.apiKeys.copy} isFirst />
      </p>
      <p className="mt-4 text-ink-soft text-sm">{messages.apiKeys.command}</p>
      <CodeLine code={`CAIRN_API_KEY=${apiKey} cairn ls --network ${api}`} label={messages.apiKeys.copyCommand} />
    </Modal>
  )
}
