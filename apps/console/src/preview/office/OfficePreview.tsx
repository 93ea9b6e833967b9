import { Suspense } from 'react'
import { messages } from '../../messages/messages.ts'
import { lazyPart } from '../../parts/lazy-part.tsx'
import { Skeleton } from '../../ui/states/Skeleton.tsx'
import { NoPreview } from '../ContentView.tsx'

/** Maximum size of a file that is read here: its parts are in memory while they are read. */
export const maxOfficeBytes = 64 * 1024 * 1024

/** The reader loads with the first file. */
const OfficeView = lazyPart(async () => (await import('./OfficeView.tsx')).OfficeView)

/** Shows an office file; undefined while it loads. */
export function OfficePreview({ file, name }: { file: Blob | undefined; name: string }) {
  const waiting = <Skeleton className="h-96 w-full" />
  if (file === undefined) return waiting
  if (file.size > maxOfficeBytes) return <NoPreview hint={messages.preview.officeLarge(maxOfficeBytes)} />
  return (
    <Suspense fallback={waiting}>
      <OfficeView file={file} name={name} />
    </Suspense>
  )
}
