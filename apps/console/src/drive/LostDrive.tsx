import { resetDrive } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { saveText } from '../browser/save-text.ts'
import { keepKnownDrive } from '../drive-index/known-drives.ts'
import { messages } from '../messages/messages.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { Banner } from '../ui/states/Banner.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'

/** Explains that the key of the folders is lost, and creates new folders. Saves the old index first, in case its key is found. */
export function LostDrive({ account, onStarted }: { account: string; onStarted: () => void }) {
  const needKeyClient = useKeyClient()
  const [isAsking, setAsking] = useState(false)
  const { mutate, isPending } = useMutation({
    mutationFn: async () =>
      resetDrive(await needKeyClient(), {
        keep: (old) => saveText(messages.drive.lostFile, JSON.stringify(old), 'application/json'),
      }),
    onSuccess: () => {
      keepKnownDrive(account, undefined)
      setAsking(false)
      onStarted()
    },
    onError: (error) => toastError(messages.drive.lostFailed, error),
  })
  return (
    <>
      <Banner
        tone="warn"
        action={
          <Button size="small" onClick={() => setAsking(true)}>
            {messages.drive.lostStart}
          </Button>
        }
      >
        {messages.drive.lost}
      </Banner>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={messages.drive.lostTitle}
        hint={messages.drive.lostHint}
        confirmLabel={messages.drive.lostStart}
        isBusy={isPending}
        onConfirm={mutate}
      />
    </>
  )
}
