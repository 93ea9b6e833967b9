import { Suspense } from 'react'
import { messages } from '../messages/messages.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { NoPreview } from './ContentView.tsx'

/** Maximum size of a PDF shown here: all of it stays in memory while it is open. */
export const maxPdfBytes = 64 * 1024 * 1024

/** The PDF reader loads with the first PDF. */
const PdfView = lazyPart(async () => (await import('./pdf/PdfView.tsx')).PdfView)

/** Shows a PDF from its bytes; undefined while they load. */
export function PdfPreview({ bytes, name }: { bytes: Uint8Array | undefined; name: string }) {
  const waiting = <Skeleton className="h-96 w-full" />
  if (bytes === undefined) return waiting
  if (bytes.length > maxPdfBytes) return <NoPreview hint={messages.preview.pdfLarge(maxPdfBytes)} />
  return (
    <Suspense fallback={waiting}>
      <PdfView bytes={bytes} name={name} />
    </Suspense>
  )
}
