import { BlobPreview } from './BlobPreview.tsx'
import { MediaView } from './ContentView.tsx'
import { choosePreview } from './preview-kind.ts'
import type { Decrypted } from './use-decryption.ts'

/** A decrypted file in its preview. */
export function DecryptedView({
  content,
  name,
  mimeType,
}: {
  content: Decrypted
  name: string
  mimeType: string | null
}) {
  if (content.kind === 'blob') return <BlobPreview blob={content.blob} name={name} mimeType={mimeType} />
  return <MediaView form={choosePreview(name, mimeType)} url={content.url} name={name} />
}
