import { useEffect } from 'react'
import { Check, Download, LockKeyholeOpen } from '#icons'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useSession } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { AccessFailure } from './AccessFailure.tsx'
import { DecryptedView } from './DecryptedView.tsx'
import { Decrypting } from './Decrypting.tsx'
import { Locked } from './Locked.tsx'
import { choosePreview } from './preview-kind.ts'
import { saveBlob } from './save-blob.ts'
import { type EncryptedFile, useDecryption } from './use-decryption.ts'
import { useSaving } from './use-saving.ts'
import { isFileWanted, wantFile } from './wanted-file.ts'

/**
 * An encrypted file: signs in, decrypts in a worker, shows and saves it. Opens automatically if a key session exists;
 * the wallet opens only after a click. A large file is saved without being shown, or shown on request.
 */
export function EncryptedContent({
  cid,
  name,
  mimeType,
  sizeBytes,
  masterKey,
}: EncryptedFile & {
  /** The key, if known: that of the folder. */
  masterKey?: string
}) {
  const session = useSession()
  const file = { cid, name, mimeType, sizeBytes }
  const { content, isLarge, error, isPending, progress, begin, reset, cancel } = useDecryption(file, masterKey)
  const saving = useSaving(cid, content?.kind === 'media' ? content.masterKey : masterKey, name)
  const isSignedIn = session !== undefined
  const knowsKeys = session?.keySession !== undefined
  const opensItself = isSignedIn && !isLarge && (masterKey !== undefined || knowsKeys || isFileWanted(cid))
  const isFresh = content === undefined && error === null && !isPending
  useEffect(() => {
    if (!opensItself || !isFresh) return
    wantFile(undefined)
    begin()
  }, [opensItself, isFresh, begin])

  if (content !== undefined) {
    return (
      <div className="flex flex-col gap-4">
        <DecryptedView content={content} name={name} mimeType={mimeType} />
        {content.kind === 'media' ? (
          <SaveMedia saving={saving} />
        ) : (
          <SaveButton onSave={() => saveBlob(content.blob, name)} />
        )}
      </div>
    )
  }
  if (isPending) return <Decrypting progress={progress} onCancel={cancel} />
  if (saving.isPending) return <Decrypting progress={saving.progress} onCancel={saving.cancel} />
  const failure =
    error !== null && !isAborted(error) ? <AccessFailure cid={cid} error={error} onRetry={begin} /> : undefined
  if (!isLarge) {
    return (
      failure ?? (
        <Locked
          cid={cid}
          title={messages.preview.lockedTitle}
          hint={messages.preview.lockedHint}
          action={messages.preview.decrypt}
          onOpen={begin}
        />
      )
    )
  }
  const canShow = choosePreview(name, mimeType).kind !== 'none'
  return (
    <div className="flex flex-col gap-4">
      {failure}
      {saving.error !== null && !isAborted(saving.error) ? (
        <AccessFailure cid={cid} title={messages.preview.saveFailed} error={saving.error} onRetry={saving.save} />
      ) : undefined}
      <Locked
        cid={cid}
        title={messages.preview.lockedTitle}
        hint={messages.preview.largeHint(sizeBytes, window.showSaveFilePicker !== undefined, canShow)}
        action={messages.preview.saveDecrypted}
        icon={Download}
        onOpen={() => {
          reset()
          saving.save()
        }}
      >
        {canShow ? (
          <Button
            onClick={() => {
              saving.reset()
              begin()
            }}
          >
            <LockKeyholeOpen aria-hidden="true" size={16} />
            {messages.preview.decrypt}
          </Button>
        ) : undefined}
      </Locked>
      <p role="status" className="flex items-center justify-center gap-1.5 text-good text-sm empty:hidden">
        {saving.isSaved ? (
          <>
            <Check aria-hidden="true" size={16} />
            {messages.preview.saved}
          </>
        ) : undefined}
      </p>
    </div>
  )
}

function SaveButton({ onSave }: { onSave: () => void }) {
  return (
    <div>
      <Button kind="primary" onClick={onSave}>
        <Download aria-hidden="true" size={16} />
        {messages.preview.saveDecrypted}
      </Button>
    </div>
  )
}

/** A file that is played was never decrypted as a whole, so saving decrypts it into a file. */
function SaveMedia({ saving: { error, isPending, progress, save, cancel } }: { saving: ReturnType<typeof useSaving> }) {
  if (isPending) return <Decrypting progress={progress} onCancel={cancel} />
  return (
    <>
      {error !== null && !isAborted(error) ? (
        <ErrorState title={messages.preview.saveFailed} error={error} onRetry={save} />
      ) : undefined}
      <SaveButton onSave={save} />
    </>
  )
}
