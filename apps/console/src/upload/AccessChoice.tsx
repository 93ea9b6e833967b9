import { Globe, Lock, UserRound } from '#icons'
import { messages } from '../messages/messages.ts'
import { Segments } from '../ui/forms/Segments.tsx'
import type { UploadAccess } from './upload-item.ts'

/** Who can open the upload. Placed next to the upload button, because public cannot be undone. */
export function AccessChoice({
  access,
  canEncrypt,
  onChange,
}: {
  access: UploadAccess
  canEncrypt: boolean
  onChange: (access: UploadAccess) => void
}) {
  const hint = {
    encrypted: messages.upload.encryptedHint,
    private: messages.upload.privateHint,
    public: messages.upload.publicHint,
  }[access]
  return (
    <div className="flex w-full flex-col gap-1.5">
      <Segments
        label={messages.upload.access}
        value={access}
        options={[
          { value: 'encrypted', label: messages.upload.encrypted, icon: Lock, isDisabled: !canEncrypt },
          { value: 'private', label: messages.upload.private, icon: UserRound },
          { value: 'public', label: messages.upload.public, icon: Globe },
        ]}
        onChange={onChange}
      />
      <p className="text-ink-soft text-sm">{canEncrypt ? hint : `${hint} ${messages.upload.encryptedMissing}`}</p>
    </div>
  )
}
