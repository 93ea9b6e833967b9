import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

/** Class of all text inputs. */
export const fieldClass =
  'w-full rounded-md border border-line-strong bg-surface px-3 text-base text-ink shadow-card hover:border-ink-soft focus-visible:outline-offset-0 aria-invalid:border-bad sm:text-sm'

/** A text input with its label, a hint, and its error. */
export function TextField({
  label,
  hint,
  error,
  isLabelHidden = false,
  className,
  ...rest
}: ComponentProps<'input'> & { label: string; hint?: ReactNode; error?: string | undefined; isLabelHidden?: boolean }) {
  const id = useId()
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean)
  return (
    <div className={classNames('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'font-medium text-sm'}>
        {label}
      </label>
      <input
        id={id}
        autoComplete="off"
        {...rest}
        {...(described.length === 0 ? {} : { 'aria-describedby': described.join(' ') })}
        {...(error === undefined ? {} : { 'aria-invalid': true })}
        className={classNames(fieldClass, 'h-10 pointer-coarse:h-11')}
      />
      {hint === undefined ? undefined : (
        <p id={`${id}-hint`} className="text-ink-soft text-sm">
          {hint}
        </p>
      )}
      {error === undefined ? undefined : (
        <p id={`${id}-error`} role="alert" className="text-bad text-sm">
          {error}
        </p>
      )}
    </div>
  )
}
