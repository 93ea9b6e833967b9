import { lazy, Suspense } from 'react'
import { Skeleton } from '../ui/Skeleton.tsx'
import { words } from '../words/words.ts'
import { NoPreview } from './ContentView.tsx'

/** Largest PDF that is shown here: all of it is held while it is open. */
export const pdfBytesMost = 64 * 1024 * 1024

/** Who opens no PDF does not load what reads them. */
const PdfView = lazy(() => import('./pdf/PdfView.tsx').then((module) => ({ default: module.PdfView })))

/** A PDF from its bytes; undefined while they are fetched. */
export function PdfPreview({ bytes, name }: { bytes: Uint8Array | undefined; name: string }) {
  const waiting = <Skeleton className="h-96 w-full" />
  if (bytes === undefined) return waiting
  if (bytes.length > pdfBytesMost) return <NoPreview hint={words.preview.pdfLarge(pdfBytesMost)} />
  return (
    <Suspense fallback={waiting}>
      <PdfView bytes={bytes} name={name} />
    </Suspense>
  )
}
