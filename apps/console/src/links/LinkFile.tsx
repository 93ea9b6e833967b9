import { useEffect } from 'react'
import { Check, Download, LockKeyholeOpen } from '#icons'
import { messages } from '../messages/messages.ts'
import { DecryptedView } from '../preview/DecryptedView.tsx'
import { Decrypting } from '../preview/Decrypting.tsx'
import { choosePreview } from '../preview/preview-kind.ts'
import { saveBlob } from '../preview/save-blob.ts'
import { type EncryptedFile, useDecryption } from '../preview/use-decryption.ts'
import { useSaving } from '../preview/use-saving.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'

/**
 * A file that a link opened. It is shown if the console has a preview of its kind and it is not large, and can be saved, as a
 * stream if the browser supports it.
 */
export function LinkFile({
  cid,
  name,
  mimeType,
  sizeBytes,
  masterKey,
}: EncryptedFile & {
  masterKey: string
}) {
  const file = { cid, name, mimeType, sizeBytes }
  const { content, isLarge, error, isPending, progress, begin, cancel } = useDecryption(file, masterKey)
  const saving = useSaving(cid, masterKey, name)
  const hasPreview = choosePreview(name, mimeType).kind !== 'none'
  const opensItself = hasPreview && !isLarge && content === undefined && error === null && !isPending
  useEffect(() => {
    if (opensItself) begin()
  }, [opensItself, begin])

  if (isPending || opensItself)
    return <Decrypting progress={progress} waiting={messages.linkPage.opening} onCancel={cancel} />
  if (saving.isPending)
    return <Decrypting progress={saving.progress} waiting={messages.linkPage.opening} onCancel={saving.cancel} />
  if (error !== null && !isAborted(error)) return <ErrorState error={error} onRetry={begin} />
  const save = () => (content?.kind === 'blob' ? saveBlob(content.blob, name) : saving.save())
  return (
    <div className="flex flex-col gap-4">
      {content !== undefined ? (
        <DecryptedView content={content} name={name} mimeType={mimeType} />
      ) : isLarge || !hasPreview ? (
        <p className="rounded-lg bg-sunken px-4 py-6 text-ink-soft">
          {hasPreview ? undefined : messages.linkPage.otherHint}{' '}
          {isLarge
            ? messages.preview.largeHint(sizeBytes, window.showSaveFilePicker !== undefined, hasPreview)
            : undefined}
        </p>
      ) : undefined}
      {saving.error !== null && !isAborted(saving.error) ? (
        <ErrorState title={messages.linkPage.saveFailed} error={saving.error} onRetry={saving.save} />
      ) : undefined}
      <div className="flex flex-wrap items-center gap-3">
        <Button kind="primary" onClick={save}>
          <Download aria-hidden="true" size={16} />
          {messages.linkPage.save}
        </Button>
        {content === undefined && hasPreview ? (
          <Button onClick={begin}>
            <LockKeyholeOpen aria-hidden="true" size={16} />
            {messages.linkPage.show}
          </Button>
        ) : undefined}
        <p role="status" className="flex items-center gap-1.5 text-good text-sm">
          {saving.isSaved ? (
            <>
              <Check aria-hidden="true" size={16} />
              {messages.linkPage.saved}
            </>
          ) : undefined}
        </p>
      </div>
    </div>
  )
}
