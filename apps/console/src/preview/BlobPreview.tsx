import { useEffect, useState } from 'react'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { MediaView, NoPreview } from './ContentView.tsx'
import { type DecodedText, decodeText, shownBytes } from './decode-text.ts'
import { OfficePreview } from './office/OfficePreview.tsx'
import { maxPdfBytes, PdfPreview } from './PdfPreview.tsx'
import { choosePreview, type PreviewForm } from './preview-kind.ts'
import { TextPreview } from './text/TextPreview.tsx'
import { useObjectUrl } from './use-object-url.ts'

/** Maximum size of an SVG that is shown; its data URL contains all of it. */
const maxSvgBytes = 1024 * 1024

/** Shows decrypted bytes with a type from the fixed list; anything else is download only. */
export function BlobPreview({ blob, name, mimeType }: { blob: Blob; name: string; mimeType: string | null }) {
  const form = choosePreview(name, mimeType)
  if (form.kind === 'none' || (form.kind === 'svg' && blob.size > maxSvgBytes)) return <NoPreview />
  if (form.kind === 'text') return <BlobText blob={blob} name={name} mimeType={mimeType} />
  if (form.kind === 'pdf') return <BlobPdf blob={blob} name={name} />
  if (form.kind === 'office') return <OfficePreview file={blob} name={name} />
  return form.kind === 'svg' ? (
    <BlobDrawing blob={blob} form={form} name={name} />
  ) : (
    <BlobMedia blob={blob} form={form} name={name} />
  )
}

function BlobMedia({ blob, form, name }: { blob: Blob; form: PreviewForm; name: string }) {
  const url = useObjectUrl(blob, form.type)
  return url === undefined ? <Skeleton /> : <MediaView form={form} url={url} name={name} />
}

/** A `blob:` URL in a separate tab would run the scripts of an SVG in our origin; a `data:` URL has no origin. */
function BlobDrawing({ blob, form, name }: { blob: Blob; form: PreviewForm; name: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const reader = new FileReader()
    reader.onload = () => setUrl(typeof reader.result === 'string' ? reader.result : undefined)
    reader.readAsDataURL(new Blob([blob], { type: form.type }))
    return () => reader.abort()
  }, [blob, form.type])
  return url === undefined ? <Skeleton /> : <MediaView form={form} url={url} name={name} />
}

function BlobPdf({ blob, name }: { blob: Blob; name: string }) {
  const [bytes, setBytes] = useState<Uint8Array>()
  useEffect(() => {
    let isGone = false
    void blob
      .slice(0, maxPdfBytes + 1)
      .arrayBuffer()
      .then((buffer) => {
        if (!isGone) setBytes(new Uint8Array(buffer))
      })
    return () => {
      isGone = true
    }
  }, [blob])
  return <PdfPreview bytes={bytes} name={name} />
}

function BlobText({ blob, name, mimeType }: { blob: Blob; name: string; mimeType: string | null }) {
  const [decoded, setDecoded] = useState<DecodedText | null>()
  const maxBytes = shownBytes(name, mimeType)
  const isCut = blob.size > maxBytes
  useEffect(() => {
    let isGone = false
    void blob
      .slice(0, maxBytes)
      .arrayBuffer()
      .then((bytes) => {
        if (!isGone) setDecoded(decodeText(new Uint8Array(bytes), isCut) ?? null)
      })
    return () => {
      isGone = true
    }
  }, [blob, maxBytes, isCut])
  if (decoded === undefined) return <Skeleton />
  return decoded === null ? (
    <NoPreview />
  ) : (
    <TextPreview decoded={decoded} name={name} mimeType={mimeType} isCut={isCut} />
  )
}
