import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { getSession } from '../session/session-store.ts'
import { getSettings } from '../theme/settings.ts'
import { Modal } from '../ui/Modal.tsx'
import { openUploadSheet } from '../upload/upload-sheet-store.ts'
import { words } from '../words/words.ts'
import type { Place } from './navigation.ts'

/** Second letter after `g`. */
const goTo: Record<string, Place['to']> = {
  f: '/files',
  s: '/shared',
  n: '/names',
  t: '/storage',
  p: '/proofs',
  ',': '/settings',
}
/** A second letter counts when it comes within this time. */
const pairMs = 1_200

const rows: readonly { keys: readonly string[]; text: string; isPair?: boolean }[] = [
  { keys: ['/'], text: words.shell.shortcutSearch },
  { keys: ['u'], text: words.shell.shortcutUpload },
  { keys: ['g', 'f'], text: words.shell.shortcutGoFiles, isPair: true },
  { keys: ['g', 's'], text: words.shell.shortcutGoShared, isPair: true },
  { keys: ['g', 'n'], text: words.shell.shortcutGoNames, isPair: true },
  { keys: ['g', 't'], text: words.shell.shortcutGoStorage, isPair: true },
  { keys: ['g', 'p'], text: words.shell.shortcutGoProofs, isPair: true },
  { keys: ['g', ','], text: words.shell.shortcutGoSettings, isPair: true },
  { keys: ['↑', '↓'], text: words.shell.shortcutMove },
  { keys: ['Space'], text: words.shell.shortcutSelect },
  { keys: ['Enter'], text: words.shell.shortcutOpen },
  { keys: ['Ctrl A', '⌘ A'], text: words.shell.shortcutAll },
  { keys: ['Delete'], text: words.shell.shortcutDelete },
  { keys: ['Esc'], text: words.shell.shortcutClear },
  { keys: ['?'], text: words.shell.shortcutHelp },
]

/** Single letters that do something on every page, and the page that lists them. Off while typing, and where switched off. */
export function Shortcuts() {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    let goneAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (!getSettings().hasShortcuts || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return
      if (isTyping(event.target) || document.querySelector('[role=dialog],[role=menu]') !== null) return
      const place = goTo[event.key]
      if (event.timeStamp - goneAt < pairMs && place !== undefined) {
        event.preventDefault()
        void navigate({ to: place })
      } else if (event.key === '/') {
        event.preventDefault()
        document.getElementById('search')?.focus()
      } else if (event.key === '?') setOpen(true)
      else if (event.key === 'u' && getSession() !== undefined) {
        event.preventDefault()
        openUploadSheet()
      }
      goneAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])
  return (
    <Modal
      isOpen={isOpen}
      onClose={() => setOpen(false)}
      title={words.shell.shortcuts}
      hint={words.shell.shortcutsHint}
    >
      <dl className="grid gap-x-8 gap-y-2.5 text-sm sm:grid-cols-2">
        {rows.map(({ keys, text, isPair = false }) => (
          <div key={text} className="flex items-center justify-between gap-4">
            <dt className="text-ink-soft">{text}</dt>
            <dd className="flex items-center gap-1">
              {keys.map((key, i) => (
                <span key={key} className="flex items-center gap-1">
                  {i > 0 ? (
                    <span className="text-ink-faint text-xs">
                      {isPair ? words.shell.shortcutThen : words.shell.shortcutOr}
                    </span>
                  ) : undefined}
                  <kbd className="rounded-sm border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">{key}</kbd>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox],[type=radio]),textarea,select'))
  )
}
