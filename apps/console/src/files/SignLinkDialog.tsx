import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link2 } from '#icons'
import { signContentUrl } from '../content/content-url.ts'
import { findIsFolder } from '../content/use-is-folder.ts'
import { LinkMade } from '../links/LinkMade.tsx'
import { formatDateTime } from '../messages/format.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { Segments } from '../ui/forms/Segments.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'

/** How long a signed link lasts, in seconds; the longest is that of the service. */
const lifetimes = { hour: 3600, day: 86_400, week: 7 * 86_400 }
type Lifetime = keyof typeof lifetimes
const lifetimeNames: readonly Lifetime[] = ['hour', 'day', 'week']

/** The content of a signed link: a private file or folder, or one below it. */
export type SignedContent = { cidPath: string; name: string; mimeType: string | null }

/** Creates a link that opens a private file without an account until it expires. */
export function SignLinkDialog({
  content: { cidPath, name, mimeType },
  onClose,
}: {
  content: SignedContent
  onClose: () => void
}) {
  const network = useNetwork()
  const client = useClient()
  const [lifetime, setLifetime] = useState<Lifetime>('day')
  const shownName = markControls(name)
  const sign = useMutation({
    mutationFn: async () => {
      const isFolder = await findIsFolder(client, { cid: cidPath, mimeType })
      return signContentUrl(client, network, cidPath, {
        expiresInSeconds: lifetimes[lifetime],
        ...(isFolder ? {} : { filename: name }),
      })
    },
    onError: (error) => toastError(messages.files.signLinkFailed, error),
    gcTime: 0,
  })
  if (sign.data !== undefined) {
    return (
      <LinkMade
        url={sign.data.url}
        title={messages.files.signedLink}
        hint={messages.files.signedLinkHint(shownName, formatDateTime(sign.data.expiresAt))}
        note={messages.files.signLinkNote}
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      onClose={onClose}
      title={messages.files.signLink}
      hint={messages.files.signLinkHint(shownName)}
      submitLabel={messages.files.signLinkMake}
      isBusy={sign.isPending}
      onSubmit={() => sign.mutate()}
    >
      <Segments
        label={messages.files.signLinkFor}
        isLabelShown
        value={lifetime}
        options={lifetimeNames.map((value) => ({ value, label: messages.files.signLinkLifetimes[value] }))}
        onChange={setLifetime}
      />
      <p className="text-ink-soft text-sm">{messages.files.signLinkNote}</p>
    </FormDialog>
  )
}

/** Opens the dialog. */
export function SignLinkButton(content: SignedContent) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Link2 aria-hidden="true" size={16} />
        {messages.files.signLink}
      </Button>
      {isOpen ? <SignLinkDialog content={content} onClose={() => setOpen(false)} /> : undefined}
    </>
  )
}
