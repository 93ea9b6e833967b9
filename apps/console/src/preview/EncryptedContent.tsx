import { useEffect } from 'react'
import { Download } from '#icons'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useSession } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { AccessFailure } from './AccessFailure.tsx'
import { DecryptedView } from './DecryptedView.tsx'
import { Decrypting } from './Decrypting.tsx'
import { Locked } from './Locked.tsx'
import { saveBlob } from './save-blob.ts'
import { type EncryptedFile, useDecryption } from './use-decryption.ts'
import { useSaving } from './use-saving.ts'
import { isFileWanted, wantFile } from './wanted-file.ts'

/**
 * An encrypted file: signs in, decrypts in a worker, shows and saves it. Opens automatically if a key session exists;
 * the wallet opens only after a click.
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
  const { content, isLarge, error, isPending, progress, begin, cancel } = useDecryption(file, masterKey)
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
          <SaveMedia cid={cid} name={name} masterKey={content.masterKey} />
        ) : (
          <SaveButton onSave={() => saveBlob(content.blob, name)} />
        )}
      </div>
    )
  }
  if (isPending) return <Decrypting progress={progress} onCancel={cancel} />
  if (error !== null && !isAborted(error)) return <AccessFailure cid={cid} error={error} onRetry={begin} />
  return (
    <Locked
      cid={cid}
      title={isLarge ? messages.preview.largeTitle(sizeBytes) : messages.preview.lockedTitle}
      hint={isLarge ? messages.preview.largeHint : messages.preview.lockedHint}
      action={isLarge ? messages.preview.decryptAnyway : messages.preview.decrypt}
      onOpen={begin}
    />
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

/** A file that is played is not there as a whole: it is decrypted into a file. */
function SaveMedia({ cid, name, masterKey }: { cid: string; name: string; masterKey: string }) {
  const { error, isPending, progress, save, cancel } = useSaving(cid, masterKey, name)
  if (isPending) return <Decrypting progress={progress} onCancel={cancel} />
  return (
    <>
      {error !== null && !isAborted(error) ? <ErrorState error={error} onRetry={save} /> : undefined}
      <SaveButton onSave={save} />
    </>
  )
}
