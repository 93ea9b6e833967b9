import { useEffect, useState } from 'react'
import { Skeleton } from '../ui/Skeleton.tsx'
import { MediaView, NoPreview, TextView } from './ContentView.tsx'
import { decodeText, textBytesMost } from './decode-text.ts'
import { PdfPreview, pdfBytesMost } from './PdfPreview.tsx'
import { choosePreview, type PreviewForm } from './preview-kind.ts'
import { useObjectUrl } from './use-object-url.ts'

/** Largest drawing that is shown; its address holds all of it. */
const svgBytesMost = 1024 * 1024

/** Decrypted bytes, shown under a type of the fixed list; anything else is only saved. */
export function BlobPreview({ blob, name, mimeType }: { blob: Blob; name: string; mimeType: string | null }) {
  const form = choosePreview(name, mimeType)
  if (form.kind === 'none' || (form.kind === 'svg' && blob.size > svgBytesMost)) return <NoPreview />
  if (form.kind === 'text') return <BlobText blob={blob} name={name} />
  if (form.kind === 'pdf') return <BlobPdf blob={blob} name={name} />
  return form.kind === 'svg' ? (
    <BlobDrawing blob={blob} form={form} name={name} />
  ) : (
    <BlobMedia blob={blob} form={form} name={name} />
  )
}

function BlobMedia({ blob, form, name }: { blob: Blob; form: PreviewForm; name: string }) {
  const url = useObjectUrl(blob, form.type)
  return url === undefined ? <Skeleton className="h-40 w-full" /> : <MediaView form={form} url={url} name={name} />
}

/** A `blob:` address opened in a tab of its own would run a drawing's scripts as ours; a `data:` address is nobody's. */
function BlobDrawing({ blob, form, name }: { blob: Blob; form: PreviewForm; name: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const reader = new FileReader()
    reader.onload = () => setUrl(typeof reader.result === 'string' ? reader.result : undefined)
    reader.readAsDataURL(new Blob([blob], { type: form.type }))
    return () => reader.abort()
  }, [blob, form.type])
  return url === undefined ? <Skeleton className="h-40 w-full" /> : <MediaView form={form} url={url} name={name} />
}

function BlobPdf({ blob, name }: { blob: Blob; name: string }) {
  const [bytes, setBytes] = useState<Uint8Array>()
  useEffect(() => {
    let isGone = false
    void blob
      .slice(0, pdfBytesMost + 1)
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

function BlobText({ blob, name }: { blob: Blob; name: string }) {
  const [text, setText] = useState<string | null>()
  const isCut = blob.size > textBytesMost
  useEffect(() => {
    let isGone = false
    void blob
      .slice(0, textBytesMost)
      .arrayBuffer()
      .then((bytes) => {
        if (!isGone) setText(decodeText(new Uint8Array(bytes), isCut) ?? null)
      })
    return () => {
      isGone = true
    }
  }, [blob, isCut])
  if (text === undefined) return <Skeleton className="h-40 w-full" />
  return text === null ? <NoPreview /> : <TextView text={text} name={name} isCut={isCut} />
}
