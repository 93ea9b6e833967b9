import { useEffect } from 'react'
import { Download } from '#icons'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useSession } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { AccessFailure } from './AccessFailure.tsx'
import { BlobPreview } from './BlobPreview.tsx'
import { Decrypting } from './Decrypting.tsx'
import { Locked } from './Locked.tsx'
import { saveBlob } from './save-blob.ts'
import { largeBytes, useDecryption } from './use-decryption.ts'
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
}: {
  /** Of the file, or of a folder with the path in it. */
  cid: string
  name: string
  mimeType: string | null
  sizeBytes: number
  /** The key, if known: that of the folder. */
  masterKey?: string
}) {
  const session = useSession()
  const { blob, error, isPending, progress, begin, cancel } = useDecryption(cid, masterKey)
  const isSignedIn = session !== undefined
  const isLarge = sizeBytes >= largeBytes
  const knowsKeys = session?.keySession !== undefined
  const opensItself = isSignedIn && !isLarge && (masterKey !== undefined || knowsKeys || isFileWanted(cid))
  const isFresh = blob === undefined && error === null && !isPending
  useEffect(() => {
    if (!opensItself || !isFresh) return
    wantFile(undefined)
    begin()
  }, [opensItself, isFresh, begin])

  if (blob !== undefined) {
    return (
      <div className="flex flex-col gap-4">
        <BlobPreview blob={blob} name={name} mimeType={mimeType} />
        <div>
          <Button kind="primary" onClick={() => saveBlob(blob, name)}>
            <Download aria-hidden="true" size={16} />
            {messages.preview.saveDecrypted}
          </Button>
        </div>
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
