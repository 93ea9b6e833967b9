import { Globe, Lock } from '#icons'
import { messages } from '../messages/messages.ts'
import { Segments } from '../ui/Segments.tsx'

/** Who can open the upload. Placed next to the upload button, because public cannot be undone. */
export function AccessChoice({
  isEncrypted,
  canEncrypt,
  onChange,
}: {
  isEncrypted: boolean
  canEncrypt: boolean
  onChange: (isEncrypted: boolean) => void
}) {
  const hint = isEncrypted ? messages.upload.encryptedHint : messages.upload.publicHint
  return (
    <div className="flex w-full flex-col gap-1.5">
      <Segments
        label={messages.upload.access}
        value={isEncrypted ? 'encrypted' : 'public'}
        options={[
          { value: 'encrypted', label: messages.upload.encrypted, icon: Lock, isDisabled: !canEncrypt },
          { value: 'public', label: messages.upload.public, icon: Globe },
        ]}
        onChange={(value) => onChange(value === 'encrypted')}
      />
      <p className="text-ink-soft text-sm">{canEncrypt ? hint : `${hint} ${messages.upload.encryptedMissing}`}</p>
    </div>
  )
}
