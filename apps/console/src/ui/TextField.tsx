import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Field } from './Field.tsx'

/** Class of all text inputs. */
export const fieldClass =
  'w-full rounded-md border border-line-strong bg-surface px-3 text-base text-ink shadow-card hover:border-ink-soft focus-visible:outline-offset-0 aria-invalid:border-bad sm:text-sm'

/** A text input with its label, a hint, and its error. */
export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  ...rest
}: ComponentProps<'input'> & { label: string; hint?: ReactNode; error?: string | undefined; isLabelHidden?: boolean }) {
  const frame = { label, hint, error, className, ...(isLabelHidden === undefined ? {} : { isLabelHidden }) }
  return (
    <Field {...frame}>
      {(input) => (
        <input autoComplete="off" {...rest} {...input} className={classNames(fieldClass, 'h-10 pointer-coarse:h-11')} />
      )}
    </Field>
  )
}
