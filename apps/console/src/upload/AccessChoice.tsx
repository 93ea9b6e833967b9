import { Globe, Lock } from '#icons'
import { Segments } from '../ui/Segments.tsx'
import { words } from '../words/words.ts'

/** Who can open what is uploaded. Stands beside the button that uploads, because public cannot be undone. */
export function AccessChoice({
  isEncrypted,
  canEncrypt,
  onChange,
}: {
  isEncrypted: boolean
  canEncrypt: boolean
  onChange: (isEncrypted: boolean) => void
}) {
  const hint = isEncrypted ? words.upload.encryptedHint : words.upload.publicHint
  return (
    <div className="flex w-full flex-col gap-1.5">
      <Segments
        label={words.upload.access}
        value={isEncrypted ? 'encrypted' : 'public'}
        options={[
          { value: 'encrypted', label: words.upload.encrypted, icon: Lock, isDisabled: !canEncrypt },
          { value: 'public', label: words.upload.public, icon: Globe },
        ]}
        onChange={(value) => onChange(value === 'encrypted')}
      />
      <p className="text-ink-soft text-sm">{canEncrypt ? hint : `${hint} ${words.upload.encryptedMissing}`}</p>
    </div>
  )
}
