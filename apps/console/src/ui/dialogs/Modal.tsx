import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { X } from '#icons'
import { messages } from '../../messages/messages.ts'
import { classNames } from '../class-names.ts'
import { IconButton } from '../IconButton.tsx'
import { focusPart, partsAround } from './focus-place.ts'
import { useBackCloses } from './use-back-closes.ts'

const places = {
  /** A dialog; below 40 rem a sheet that comes from the bottom. */
  center:
    'inset-x-0 bottom-0 max-h-[92dvh] pb-[env(safe-area-inset-bottom)] sm:pb-0 animate-rise rounded-t-xl sm:inset-auto sm:top-1/2 sm:left-1/2 sm:max-h-[86dvh] sm:w-[min(32rem,calc(100vw-2rem))] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:animate-appear sm:rounded-xl',
  wide: 'inset-x-0 bottom-0 max-h-[94dvh] pb-[env(safe-area-inset-bottom)] sm:pb-0 animate-rise rounded-t-xl sm:inset-auto sm:top-1/2 sm:left-1/2 sm:max-h-[88dvh] sm:w-[min(44rem,calc(100vw-2rem))] sm:-translate-x-1/2 sm:-translate-y-1/2 sm:animate-appear sm:rounded-xl',
  /** A drawer at the right; the whole width on a phone. */
  right:
    'inset-y-0 right-0 w-full animate-slide border-line pr-[env(safe-area-inset-right)] pb-[env(safe-area-inset-bottom)] sm:w-[min(34rem,90vw)] sm:border-l',
  /** The whole window; what it shows may be as tall. */
  full: 'inset-0 pr-[env(safe-area-inset-right)] pb-[env(safe-area-inset-bottom)] pl-[env(safe-area-inset-left)] [--preview-height:calc(100dvh-16rem)]',
} as const

/** In a low window, such as one at 400 % zoom, header and footer leave no room for the content: all of it scrolls. */
const low = {
  dialog: '[@media(max-height:26rem)]:overflow-y-auto',
  content: '[@media(max-height:26rem)]:shrink-0 [@media(max-height:26rem)]:overflow-visible',
} as const

/** Where the focus came from when a dialog opened, and the dialog that this is in. */
type Origin = { element: Element | null; dialog: Element | undefined; around: readonly Element[] }
const origins = new WeakMap<Element, Origin>()

/**
 * Returns the element to focus after a dialog closes: the one that had the focus before. If that was in another dialog that is
 * gone, such as a form followed by its result, the one that had the focus before that dialog.
 */
function findReturn(origin: Origin): Origin {
  const { element, dialog } = origin
  if (element?.isConnected !== false || dialog === undefined) return origin
  const before = origins.get(dialog)
  return before === undefined ? origin : findReturn(before)
}

/**
 * An overlay: the rest of the page is inert, Escape and Back close it, and the focus returns. A form has the focus in its
 * first field, other content on what has `data-first-focus`, or its first control, or if there is only something to read, the
 * title: never the close button. `footer` stays visible while the content scrolls, if the
 * window is high enough.
 */
export function Modal({
  isOpen,
  onClose,
  title,
  hint,
  place = 'center',
  actions,
  footer,
  isPlace = false,
  children,
}: {
  isOpen: boolean
  onClose: () => void
  title: ReactNode
  hint?: ReactNode
  place?: keyof typeof places
  /** Buttons next to the title. */
  actions?: ReactNode
  footer?: ReactNode
  /** It has its own address: Back leaves it like any other page. */
  isPlace?: boolean
  children?: ReactNode
}) {
  useBackCloses(isOpen && !isPlace, onClose)
  // Radix restores the focus to a trigger only, and these have none.
  const cameFrom = useRef<Origin>(undefined)
  const heading = useRef<HTMLHeadingElement>(null)
  const content = useRef<HTMLDivElement>(null)
  // Before a field of the dialog receives the focus.
  if (isOpen) {
    const element = document.activeElement
    cameFrom.current ??= {
      element,
      dialog: element?.closest('[role=dialog]') ?? undefined,
      around: element === null ? [] : partsAround(element),
    }
  }
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 animate-appear bg-scrim" />
        <Dialog.Content
          onOpenAutoFocus={(event) => {
            if (!(event.currentTarget instanceof HTMLElement)) return
            const dialog = event.currentTarget
            if (cameFrom.current !== undefined) origins.set(dialog, cameFrom.current)
            event.preventDefault()
            // Tab and the arrow keys start at the head of a place.
            const first = isPlace ? dialog : (firstControl(dialog, content.current) ?? heading.current)
            first?.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            const { element: next = null, around = [] } =
              cameFrom.current === undefined ? {} : findReturn(cameFrom.current)
            if (next instanceof HTMLElement && next !== document.body && next.checkVisibility()) next.focus()
            // The element that opened the dialog may be gone, such as the row of a deleted item.
            else focusPart(around)
            cameFrom.current = undefined
          }}
          className={classNames(
            'fixed z-50 flex flex-col bg-raised text-ink shadow-float outline-none',
            low.dialog,
            places[place],
          )}
          {...(isPlace ? { 'data-place': '' } : {})}
          {...(hint === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <header className="flex items-start gap-3 max-sm:flex-wrap px-5 pt-4 pb-2 sm:px-6 sm:pt-5">
            <div className="min-w-0 flex-1 pt-1.5">
              <Dialog.Title ref={heading} tabIndex={-1} className="w-fit max-w-full rounded-sm font-semibold text-lg">
                {/* A long name would leave no room for the content. */}
                <span className="line-clamp-4 break-words">{title}</span>
              </Dialog.Title>
              {hint === undefined ? undefined : (
                <Dialog.Description className="mt-1 text-ink-soft text-sm">{hint}</Dialog.Description>
              )}
            </div>
            {actions}
            <Dialog.Close asChild>
              <IconButton icon={X} label={messages.shell.close} className="-mr-2" />
            </Dialog.Close>
          </header>
          <div
            ref={content}
            className={classNames(
              'min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pt-2 pb-5 sm:px-6 sm:pb-6',
              low.content,
            )}
          >
            {children}
          </div>
          {footer === undefined ? undefined : (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-line border-t px-5 py-3 sm:px-6">
              {footer}
            </footer>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const firstControls = '[data-first-focus], form :is(input, select, textarea, button):enabled'

const anyControl = ':is(input, select, textarea, button):enabled, a[href], [tabindex="0"]'

/** Returns the main control of a dialog, in its content; of radio buttons, the checked one. */
function firstControl(dialog: HTMLElement, content: HTMLElement | null): HTMLElement | undefined {
  const first =
    dialog.querySelector<HTMLElement>(firstControls) ?? content?.querySelector<HTMLElement>(anyControl) ?? undefined
  if (!(first instanceof HTMLInputElement) || first.type !== 'radio') return first
  return first.closest('fieldset')?.querySelector<HTMLElement>('input[type=radio]:checked') ?? first
}
