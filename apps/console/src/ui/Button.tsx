import { Children, type ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './states/Spinner.tsx'

const base =
  'inline-flex select-none items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium transition-colors disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55'
const kinds = {
  primary: 'bg-accent text-on-accent hover:bg-[color-mix(in_srgb,var(--accent)_88%,var(--ink))]',
  plain: 'border border-line bg-surface text-ink shadow-card hover:bg-hover',
  quiet: 'text-ink-soft hover:bg-hover hover:text-ink',
  danger: 'bg-bad text-page hover:bg-[color-mix(in_srgb,var(--bad)_88%,var(--ink))]',
} as const
const sizes = {
  small: 'h-8 px-3 text-sm pointer-coarse:h-11',
  normal: 'h-10 px-4 text-sm pointer-coarse:h-11',
  large: 'h-12 px-6 text-base',
} as const

export type ButtonProps = ComponentProps<'button'> & {
  kind?: keyof typeof kinds
  size?: keyof typeof sizes
  /** Shows that its work is in progress; a second click has no effect. */
  isBusy?: boolean
}

/** Styles of a button, for links that look like one. */
export function buttonClass(kind: keyof typeof kinds = 'plain', size: keyof typeof sizes = 'normal'): string {
  return classNames(base, kinds[kind], sizes[size])
}

/** A button. At most one `primary` per view. */
export function Button({ kind = 'plain', size = 'normal', isBusy = false, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(buttonClass(kind, size), className)}
      {...(isBusy ? { 'aria-disabled': true, onClick: (event) => event.preventDefault() } : {})}
    >
      {isBusy ? <Spinner /> : undefined}
      {/* Beside an icon, a text that a translator of the browser replaced would not change with what the button does. */}
      {Children.map(children, (child) =>
        typeof child === 'string' && child.trim() !== '' ? <span>{child}</span> : child,
      )}
    </button>
  )
}
