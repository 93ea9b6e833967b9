import { Suspense } from 'react'
import { lazyPart } from '../parts/lazy-part.tsx'
import { closeUncopied, useUncopied } from '../ui/values/copy-text.ts'

const CopyDialog = lazyPart(async () => (await import('../ui/dialogs/CopyDialog.tsx')).CopyDialog, 'toast')

/** Shows a text that the browser did not copy, over whatever is open: that stays while the dialog loads. */
export function UncopiedText() {
  const text = useUncopied()
  return <Suspense>{text === undefined ? undefined : <CopyDialog text={text} onClose={closeUncopied} />}</Suspense>
}
