import { maxLinkOpens } from '@cairn/protocol'
import { createLink, revokeLink } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { useRevokeUnseen } from '../session/use-revoke-unseen.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { LifetimeField } from './LifetimeField.tsx'
import { LinkMade } from './LinkMade.tsx'
import { type Lifetime, lifetimesMs } from './lifetimes.ts'
import { unseenTexts } from './unseen-texts.ts'
import { refreshLinks } from './use-links.ts'

const defaultOpens = '10'
const maxLabelLength = 200

/** Creates a link to an encrypted file. The file key is sealed here; the link is shown once. */
export function CreateLinkDialog({ cid, name, onClose }: { cid: string; name: string; onClose: () => void }) {
  const needKeyClient = useKeyClient()
  const [lifetime, setLifetime] = useState<Lifetime>('week')
  const [opens, setOpens] = useState(defaultOpens)
  const [password, setPassword] = useState('')
  const [label, setLabel] = useState('')
  const maxOpens = /^[1-9]\d*$/.test(opens.trim()) ? Number(opens) : 0
  const areOpensRight = maxOpens >= 1 && maxOpens <= maxLinkOpens
  const revokeUnseen = useRevokeUnseen((client, { id }: { id: string }) => revokeLink(client, id), unseenTexts())
  const create = useMutation({
    mutationFn: async () =>
      createLink(await needKeyClient(), cid, {
        expiresAt: Date.now() + lifetimesMs[lifetime],
        maxOpens,
        ...(password === '' ? {} : { password }),
        ...(label.trim() === '' ? {} : { label: label.trim() }),
        // A file without a name is listed by its CID.
        ...(name === cid ? {} : { name }),
      }),
    onError: (error) => (isAborted(error) ? undefined : toastError(messages.links.createFailed, error)),
    onSuccess: revokeUnseen,
    onSettled: refreshLinks,
    gcTime: 0,
  })
  if (create.data !== undefined)
    return (
      <LinkMade
        url={create.data.url}
        title={messages.links.madeTitle}
        hint={messages.links.madeHint}
        note={password === '' ? undefined : messages.links.sendPassword}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      onClose={onClose}
      title={messages.links.createTitle}
      hint={messages.links.createHint(name)}
      submitLabel={messages.links.create}
      isBusy={create.isPending}
      onSubmit={() => (areOpensRight ? create.mutate() : undefined)}
    >
      <LifetimeField value={lifetime} onChange={setLifetime} />
      <TextField
        label={messages.links.maxOpens}
        hint={messages.links.maxOpensHint}
        inputMode="numeric"
        value={opens}
        lateError={areOpensRight ? undefined : messages.links.maxOpensBad(maxLinkOpens)}
        onChange={({ target }) => setOpens(target.value)}
      />
      <TextField
        type="password"
        label={messages.links.password}
        hint={messages.links.passwordHint}
        autoComplete="new-password"
        value={password}
        onChange={({ target }) => setPassword(target.value)}
      />
      <TextField
        label={messages.links.label}
        hint={messages.links.labelHint}
        value={label}
        maxLength={maxLabelLength}
        onChange={({ target }) => setLabel(target.value)}
      />
    </FormDialog>
  )
}
