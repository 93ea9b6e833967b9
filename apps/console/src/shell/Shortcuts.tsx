import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { isTyping } from '../browser/is-typing.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { getSession } from '../session/session-store.ts'
import { getSettings } from '../theme/settings.ts'
import { hasDialog } from '../ui/dialogs/has-dialog.ts'
import { openUploadSheet } from '../upload/upload-sheet-store.ts'
import { places } from './navigation.ts'
import { endTypeAhead, showOverlay, typeAhead, useShellOverlay } from './shell-overlay.ts'

/** Time limit in ms for the second letter. */
const pairMs = 1_200

const Palette = lazyPart(loadPalette, 'toast')
const ShortcutsHelp = lazyPart(async () => (await import('./ShortcutsHelp.tsx')).ShortcutsHelp, 'toast')

/**
 * Ctrl+K or ⌘K for the palette; single-letter shortcuts of every page, and the page that lists them. Single letters are
 * off while typing, and if disabled in the settings.
 */
export function Shortcuts() {
  const navigate = useNavigate()
  const overlay = useShellOverlay()
  useEffect(() => {
    let goneAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        // A dialog keeps its focus.
        if (hasDialog()) return
        event.preventDefault()
        showOverlay('palette')
        return
      }
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
      if (isPlain && document.querySelector('[role=dialog]') === null && typeAhead(event.key)) {
        event.preventDefault()
        return
      }
      if (!getSettings().hasShortcuts || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return
      if (isTyping(event.target) || document.querySelector('[role=dialog],[role=menu]') !== null) return
      const place = places.find(({ shortcut }) => shortcut === event.key)
      if (event.timeStamp - goneAt < pairMs && place !== undefined) {
        event.preventDefault()
        void navigate({ to: place.to })
      } else if (event.key === '/') {
        event.preventDefault()
        document.getElementById('search')?.focus()
      } else if (event.key === '?') showOverlay('shortcuts')
      else if (event.key === 'u' && getSession() !== undefined) {
        event.preventDefault()
        openUploadSheet()
      }
      goneAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])
  if (overlay === undefined) return undefined
  return <Suspense>{overlay === 'palette' ? <Palette onClose={close} /> : <ShortcutsHelp onClose={close} />}</Suspense>
}

async function loadPalette() {
  try {
    return (await import('./palette/Palette.tsx')).Palette
  } catch (error) {
    endTypeAhead()
    throw error
  }
}

function close(): void {
  showOverlay(undefined)
}
