import { MIB, maxUploadLinkFiles } from '@cairn/protocol'
import { createUploadLink, revokeUploadLink } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { LifetimeField } from '../links/LifetimeField.tsx'
import { LinkMade } from '../links/LinkMade.tsx'
import { type Lifetime, lifetimesMs } from '../links/lifetimes.ts'
import { unseenTexts } from '../links/unseen-texts.ts'
import { messages } from '../messages/messages.ts'
import { queryClient } from '../network/query-client.ts'
import { useClient } from '../session/use-client.ts'
import { useRevokeUnseen } from '../session/use-revoke-unseen.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { Segments } from '../ui/forms/Segments.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { uploadLinksKey } from './upload-links-key.ts'

/** Media types that senders may declare. */
const presets = { all: [], images: ['image/*'], pdf: ['application/pdf'], other: [] } as const
type Preset = keyof typeof presets
const presetNames: readonly Preset[] = ['all', 'images', 'pdf', 'other']
const typePattern = /^[\w.+-]+\/(?:[\w.+-]+|\*)$/
const defaults = { files: '10', sizeMib: '100' }
const maxSizeMib = 1024 * 1024
const maxLabelLength = 200

/** Creates a link with which other people send files to the account. The link is shown once. */
export function CreateUploadLinkDialog({ onClose }: { onClose: () => void }) {
  const client = useClient()
  const [label, setLabel] = useState('')
  const [filesText, setFilesText] = useState(defaults.files)
  const [sizeText, setSizeText] = useState(defaults.sizeMib)
  const [preset, setPreset] = useState<Preset>('all')
  const [typesText, setTypesText] = useState('')
  const [lifetime, setLifetime] = useState<Lifetime>('week')
  const maxUploads = readWhole(filesText, maxUploadLinkFiles)
  const sizeMib = readWhole(sizeText, maxSizeMib)
  const ownTypes = typesText
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  const types: readonly string[] = preset === 'other' ? ownTypes : presets[preset]
  const areTypesRight = preset !== 'other' || (types.length > 0 && types.every((type) => typePattern.test(type)))
  const revokeUnseen = useRevokeUnseen((own, { id }: { id: string }) => revokeUploadLink(own, id), unseenTexts())
  const create = useMutation({
    mutationFn: (limits: { maxUploads: number; maxFileBytes: number }) =>
      createUploadLink(client, {
        ...limits,
        contentTypes: types,
        expiresAt: Date.now() + lifetimesMs[lifetime],
        label: label.trim(),
      }),
    onError: (error) => toastError(messages.ownUploadLinks.createFailed, error),
    onSuccess: revokeUnseen,
    onSettled: () => queryClient.invalidateQueries({ queryKey: uploadLinksKey }),
    gcTime: 0,
  })
  if (create.data !== undefined) {
    return (
      <LinkMade
        url={create.data.url}
        title={messages.links.madeTitle}
        hint={messages.ownUploadLinks.madeHint}
        onClose={onClose}
      />
    )
  }
  const submit = () => {
    if (maxUploads === undefined || sizeMib === undefined || !areTypesRight) return
    create.mutate({ maxUploads, maxFileBytes: sizeMib * MIB })
  }
  return (
    <FormDialog
      onClose={onClose}
      title={messages.ownUploadLinks.createTitle}
      hint={messages.ownUploadLinks.createHint}
      submitLabel={messages.links.create}
      isBusy={create.isPending}
      onSubmit={submit}
    >
      <TextField
        label={messages.links.label}
        hint={messages.ownUploadLinks.labelHint}
        value={label}
        maxLength={maxLabelLength}
        onChange={({ target }) => setLabel(target.value)}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          label={messages.ownUploadLinks.files}
          inputMode="numeric"
          value={filesText}
          lateError={maxUploads === undefined ? messages.links.maxOpensBad(maxUploadLinkFiles) : undefined}
          onChange={({ target }) => setFilesText(target.value)}
        />
        <TextField
          label={messages.ownUploadLinks.size}
          inputMode="numeric"
          value={sizeText}
          lateError={sizeMib === undefined ? messages.links.maxOpensBad(maxSizeMib) : undefined}
          onChange={({ target }) => setSizeText(target.value)}
        />
      </div>
      {maxUploads === undefined || sizeMib === undefined ? undefined : (
        <p className="text-ink-soft text-sm">{messages.ownUploadLinks.total(maxUploads * sizeMib * MIB)}</p>
      )}
      <Segments
        label={messages.ownUploadLinks.types}
        isLabelShown
        value={preset}
        options={presetNames.map((value) => ({ value, label: messages.ownUploadLinks.presets[value] }))}
        onChange={setPreset}
      />
      {preset === 'other' ? (
        <TextField
          label={messages.ownUploadLinks.ownTypes}
          hint={messages.ownUploadLinks.ownTypesHint}
          value={typesText}
          spellCheck={false}
          lateError={areTypesRight ? undefined : messages.ownUploadLinks.ownTypesBad}
          onChange={({ target }) => setTypesText(target.value)}
        />
      ) : undefined}
      <LifetimeField value={lifetime} onChange={setLifetime} />
    </FormDialog>
  )
}

/** Parses a whole number of at least 1; undefined for any other text. */
function readWhole(text: string, max: number): number | undefined {
  const count = /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : 0
  return count >= 1 && count <= max ? count : undefined
}
