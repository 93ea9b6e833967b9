import { type RefObject, useEffect, useRef } from 'react'
import { CircleAlert, CircleCheck, X } from '#icons'
import { messages } from '../messages/messages.ts'
import { Button, buttonClass } from './Button.tsx'
import { CopyButton } from './CopyButton.tsx'
import { IconButton } from './IconButton.tsx'
import { dismissToast, useToasts } from './toast-store.ts'

/** Results of background work: at the bottom left, clear of filters and of the close buttons of dialogs and drawers. */
export function Toasts() {
  const toasts = useToasts()
  const region = useRef<HTMLDivElement>(null)
  useEffect(() => uncoverFocus(region), [])
  return (
    <section
      aria-label={messages.shell.notifications}
      className="pointer-events-none fixed inset-x-3 top-18 z-60 flex flex-col items-center gap-2 sm:inset-x-auto sm:top-auto sm:bottom-20 sm:left-5 md:bottom-5 sm:items-start"
    >
      <div role="status" className="contents" ref={region}>
        {toasts.map(({ id, tone, title, text, code, report, action, link }) => (
          <div
            key={id}
            {...(tone === 'good' && action === undefined ? { 'data-passing': id } : {})}
            className="pointer-events-auto flex w-full max-w-sm animate-rise sm:max-w-xs items-start gap-3 rounded-lg border border-line bg-raised py-2 pr-2 pl-3 shadow-float"
          >
            {tone === 'good' ? (
              <CircleCheck aria-hidden="true" size={18} className="mt-2 shrink-0 text-good" />
            ) : (
              <CircleAlert aria-hidden="true" size={18} className="mt-2 shrink-0 text-bad" />
            )}
            <div className="min-w-0 flex-1 self-center py-1.5">
              <p className="font-medium text-sm">{title}</p>
              {text === undefined ? undefined : <p className="mt-0.5 text-ink-soft text-sm">{text}</p>}
              {code === undefined ? undefined : (
                <p className="mt-1 text-ink-faint text-xs">{messages.shell.errorCode(code)}</p>
              )}
            </div>
            {action === undefined ? undefined : (
              <Button
                size="small"
                onClick={() => {
                  dismissToast(id)
                  action.run()
                }}
              >
                {action.label}
              </Button>
            )}
            {link === undefined ? undefined : (
              <a
                href={link.href}
                target="_blank"
                rel="noopener noreferrer"
                className={buttonClass('plain', 'small')}
                onClick={() => dismissToast(id)}
              >
                {link.label}
              </a>
            )}
            {report === undefined ? undefined : <CopyButton text={report} size="small" />}
            <IconButton icon={X} size="small" label={messages.shell.dismiss} onClick={() => dismissToast(id)} />
          </div>
        ))}
      </div>
    </section>
  )
}

const controls = 'a, button, input, select, textarea, summary'

/** Dismisses a success that lies over what gets the focus: it was read out already. */
function uncoverFocus({ current: region }: RefObject<HTMLElement | null>): () => void {
  const uncover = ({ target }: FocusEvent) => {
    if (!(target instanceof Element) || !target.matches(controls) || region?.contains(target) !== false) return
    const { left, right, top, bottom } = target.getBoundingClientRect()
    for (const toast of region.querySelectorAll<HTMLElement>('[data-passing]')) {
      const box = toast.getBoundingClientRect()
      const isOver = box.left < right && left < box.right && box.top < bottom && top < box.bottom
      if (isOver) dismissToast(Number(toast.dataset['passing']))
    }
  }
  addEventListener('focusin', uncover)
  return () => removeEventListener('focusin', uncover)
}
