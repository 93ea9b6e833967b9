import { useRef } from 'react'
import { CircleAlert, CircleCheck, X } from '#icons'
import { messages } from '../../messages/messages.ts'
import { Button, buttonClass } from '../Button.tsx'
import { classNames } from '../class-names.ts'
import { IconButton } from '../IconButton.tsx'
import { CopyButton } from '../values/CopyButton.tsx'
import { useToastPlace, useUncoveredFocus } from './toast-place.ts'
import { dismissToast, holdToast, type Toast, useToasts } from './toast-store.ts'

const places = {
  top: 'top-18',
  bottom: 'bottom-[calc(5rem+env(safe-area-inset-bottom))]',
  between: 'top-(--toasts-top)',
} as const

/**
 * Results of background work. They are at the bottom left, away from filters and from the close buttons of dialogs and drawers;
 * on a phone, at the top, or elsewhere if that would cover the focused element.
 */
export function Toasts() {
  const toasts = useToasts()
  const region = useRef<HTMLElement>(null)
  const place = useToastPlace(region, toasts)
  useUncoveredFocus(region)
  return (
    <section
      ref={region}
      aria-label={messages.shell.notifications}
      className={classNames(
        'print:hidden! pointer-events-none fixed inset-x-3 z-60 flex flex-col items-center gap-2 sm:inset-x-auto sm:top-auto sm:bottom-20 sm:left-5 md:bottom-5 sm:items-start',
        places[place],
      )}
    >
      {/* An open dialog hides everything from screen readers except elements that are marked as live themselves. */}
      <div role="status" aria-live="polite" className="contents">
        {toasts.map(({ id, tone, title, text, code, report, action, link }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: it only stays while users read it.
          <div
            key={id}
            onMouseEnter={() => holdToast(id, true)}
            onMouseLeave={() => holdToast(id, false)}
            onFocus={() => holdToast(id, true)}
            onBlur={() => holdToast(id, false)}
            {...(tone === 'good' && action === undefined ? { 'data-passing': id } : {})}
            className="pointer-events-auto flex w-full max-w-sm animate-rise items-start sm:max-w-xs lg:max-w-sm gap-3 rounded-lg border border-line bg-raised py-2 pr-2 pl-3 shadow-float"
          >
            {tone === 'good' ? (
              <CircleCheck aria-hidden="true" size={18} className="mt-2 shrink-0 text-good" />
            ) : (
              <CircleAlert aria-hidden="true" size={18} className="mt-2 shrink-0 text-bad" />
            )}
            <div className="min-w-0 flex-1 self-center py-1.5">
              <p className="line-clamp-3 break-words font-medium text-sm">{title}</p>
              {text === undefined ? undefined : <p className="mt-0.5 text-ink-soft text-sm">{text}</p>}
              {code === undefined ? undefined : (
                <p className="mt-1 text-ink-faint text-xs">{messages.shell.errorCode(code)}</p>
              )}
              {/* Beside a text, it would leave it the room of one word. */}
              {text === undefined ? undefined : <ToastControl {...{ id, action, link }} className="mt-2" />}
            </div>
            {text === undefined ? <ToastControl {...{ id, action, link }} /> : undefined}
            {report === undefined ? undefined : <CopyButton text={report} size="small" />}
            <IconButton icon={X} size="small" label={messages.shell.dismiss} onClick={() => dismissToast(id)} />
          </div>
        ))}
      </div>
    </section>
  )
}

/** The button or the link of a toast, which also dismisses it. */
function ToastControl({ id, action, link, className }: Pick<Toast, 'id' | 'action' | 'link'> & { className?: string }) {
  if (action !== undefined) {
    return (
      <Button
        size="small"
        className={className}
        onClick={() => {
          dismissToast(id)
          action.run()
        }}
      >
        {action.label}
      </Button>
    )
  }
  return link === undefined ? undefined : (
    <a
      href={link.href}
      target="_blank"
      rel="noopener noreferrer"
      className={classNames(buttonClass('plain', 'small'), className)}
      onClick={() => dismissToast(id)}
    >
      {link.label}
    </a>
  )
}
