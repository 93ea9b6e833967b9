import { downloadBytes } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type ContentPlace, useContentUrl } from '../content/content-url.ts'
import { messages } from '../messages/messages.ts'
import { useClient } from '../session/use-client.ts'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { MediaView, NoPreview } from './ContentView.tsx'
import { decodeText, shownBytes } from './decode-text.ts'
import { maxOfficeBytes, OfficePreview } from './office/OfficePreview.tsx'
import { maxPdfBytes, PdfPreview } from './PdfPreview.tsx'
import { choosePreview, type PreviewForm } from './preview-kind.ts'
import { TextPreview } from './text/TextPreview.tsx'

/** A file that is not encrypted, or one in such a folder. Images and videos come from the gateway, which is another origin. */
export function PublicPreview({
  cidPath,
  isPrivate,
  name,
  mimeType,
}: ContentPlace & { name: string; mimeType: string | null }) {
  const form = choosePreview(name, mimeType)
  if (form.kind === 'none') return <NoPreview />
  if (form.kind === 'text') return <PublicText cidPath={cidPath} name={name} mimeType={mimeType} />
  if (form.kind === 'pdf') return <PublicPdf cidPath={cidPath} name={name} />
  if (form.kind === 'office') return <PublicOffice cidPath={cidPath} name={name} />
  return <PublicMedia place={{ cidPath, isPrivate }} form={form} name={name} />
}

function PublicMedia({ place, form, name }: { place: ContentPlace; form: PreviewForm; name: string }) {
  const { urlOf, error } = useContentUrl(place)
  const url = urlOf(name === '' ? {} : { filename: name })
  if (url !== undefined) return <MediaView form={form} url={url} name={name} />
  return error === null ? <Skeleton /> : <NoPreview hint={messages.preview.broken} />
}

/** Verified against the CID in this browser, like everything the SDK reads. */
function PublicText({ cidPath, name, mimeType }: { cidPath: string; name: string; mimeType: string | null }) {
  const maxBytes = shownBytes(name, mimeType)
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['text', cidPath, maxBytes],
    queryFn: async ({ signal }) => {
      const bytes = await downloadBytes(client, cidPath, { signal, toByte: maxBytes + 1 })
      const isCut = bytes.length > maxBytes
      return { decoded: decodeText(bytes.subarray(0, maxBytes), isCut) ?? null, isCut }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  if (data === undefined) return <Skeleton />
  return data.decoded === null ? (
    <NoPreview />
  ) : (
    <TextPreview decoded={data.decoded} name={name} mimeType={mimeType} isCut={data.isCut} />
  )
}

/** Returns all bytes of a file, verified; undefined while they load. Of a larger file, one byte more than the maximum. */
function useWhole(cidPath: string, maxBytes: number) {
  const client = useClient()
  return useQuery({
    queryKey: ['whole', cidPath, maxBytes],
    queryFn: ({ signal }) => downloadBytes(client, cidPath, { signal, toByte: maxBytes + 1 }),
    staleTime: Number.POSITIVE_INFINITY,
    // It may be large, so it is not cached after use.
    gcTime: 0,
  })
}

function PublicPdf({ cidPath, name }: { cidPath: string; name: string }) {
  const { data, error, refetch } = useWhole(cidPath, maxPdfBytes)
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  return <PdfPreview bytes={data} name={name} />
}

function PublicOffice({ cidPath, name }: { cidPath: string; name: string }) {
  const { data, error, refetch } = useWhole(cidPath, maxOfficeBytes)
  const file = useMemo(() => (data === undefined ? undefined : new Blob([new Uint8Array(data)])), [data])
  if (error !== null) return <ErrorState error={error} onRetry={() => refetch()} />
  return <OfficePreview file={file} name={name} />
}
