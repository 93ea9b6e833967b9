import { maxUploadParts } from '@cairn/protocol'
import { useEffect, useState } from 'react'
import { Upload } from '#icons'
import { isTyping } from '../browser/is-typing.ts'
import { messages } from '../messages/messages.ts'
import { useSession } from '../session/session-store.ts'
import { toastNotice } from '../ui/toasts/toast-store.ts'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { namePasted } from './name-pasted.ts'
import { readDropped } from './read-dropped.ts'
import { useUploadPlace } from './upload-place.ts'
import { openUploadSheet } from './upload-sheet-store.ts'

/** Accepts files that are dropped or pasted anywhere on the window. */
export function DropTarget() {
  const session = useSession()
  const isSignedIn = session !== undefined
  const [isOver, setOver] = useState(false)
  const place = useUploadPlace()
  useEffect(() => {
    const accept = async (data: DataTransfer, isPasted = false) => {
      const dropped = await readDropped(data)
      if (dropped === undefined) return toastNotice(messages.upload.notStarted, messages.upload.tooMany(maxUploadParts))
      const { files, unreadable } = dropped
      if (files.length === 0 && unreadable === 0) return
      openUploadSheet(isPasted ? namePasted(files) : files, unreadable)
      if (!isSignedIn) openWalletDialog()
    }
    let depth = 0
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true
    const stop = new AbortController()
    const { signal } = stop
    addEventListener(
      'dragenter',
      (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        depth++
        setOver(true)
      },
      { signal },
    )
    addEventListener('dragover', (event) => (hasFiles(event) ? event.preventDefault() : undefined), { signal })
    addEventListener(
      'dragleave',
      (event) => {
        if (!hasFiles(event)) return
        depth = Math.max(0, depth - 1)
        if (depth === 0) setOver(false)
      },
      { signal },
    )
    // Browsers report no dragleave if the element under the pointer was removed, or if the drag ended elsewhere. Pointer events
    // occur only when nothing is dragged.
    addEventListener(
      'pointermove',
      () => {
        if (depth === 0) return
        depth = 0
        setOver(false)
      },
      { signal },
    )
    addEventListener(
      'drop',
      (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        depth = 0
        setOver(false)
        if (event.dataTransfer !== null) void accept(event.dataTransfer)
      },
      { signal },
    )
    addEventListener(
      'paste',
      ({ clipboardData, target }) => {
        if (clipboardData === null || clipboardData.files.length === 0) return
        // Spreadsheets and word processors copy a picture along with the text, which the field accepts.
        if (isTyping(target) && clipboardData.types.includes('text/plain')) return
        void accept(clipboardData, true)
      },
      { signal },
    )
    return () => stop.abort()
  }, [isSignedIn])
  if (!isOver) return undefined
  return (
    <div className="pointer-events-none fixed inset-0 z-70 grid animate-appear place-items-center bg-scrim p-6">
      <div className="flex flex-col items-center gap-2 rounded-xl border-2 border-accent border-dashed bg-raised px-12 py-10 text-center shadow-float">
        <Upload aria-hidden="true" size={32} className="text-accent-ink" />
        <p className="font-semibold text-lg">{messages.upload.dropHere}</p>
        <p className="text-ink-soft">{messages.upload.dropInto(place?.path.slice(1) ?? messages.upload.place)}</p>
      </div>
    </div>
  )
}
