import { type ComponentProps, type ReactNode, use, useState } from 'react'
import { classNames } from '../class-names.ts'
import { Field } from './Field.tsx'
import { FormTried } from './form-tried.ts'

/** Class of all text inputs. */
export const fieldClass =
  'w-full rounded-md border border-line-strong bg-surface px-3 text-[1rem] text-ink shadow-card hover:border-ink-soft focus-visible:outline-offset-0 aria-invalid:border-bad sm:pointer-fine:text-sm'

/** A text input with its label, a hint, and its error. */
export function TextField({
  label,
  hint,
  error,
  lateError,
  isLabelHidden,
  className,
  onBlur,
  onKeyDown,
  ...rest
}: ComponentProps<'input'> & {
  label: string
  hint?: ReactNode
  error?: string | undefined
  /** An error of the entered text, shown only after users left the field or tried to submit. */
  lateError?: string | undefined
  isLabelHidden?: boolean
}) {
  const [wasLeft, setLeft] = useState(false)
  const wasTried = use(FormTried)
  const shown = error ?? (wasLeft || wasTried ? lateError : undefined)
  const frame = { label, hint, error: shown, className, ...(isLabelHidden === undefined ? {} : { isLabelHidden }) }
  return (
    <Field {...frame}>
      {(input) => (
        <input
          autoComplete="off"
          {...rest}
          {...input}
          onBlur={(event) => {
            setLeft(true)
            onBlur?.(event)
          }}
          onKeyDown={(event) => {
            // A form whose button is disabled is not submitted, so Enter counts as leaving the field.
            if (event.key === 'Enter') setLeft(true)
            onKeyDown?.(event)
          }}
          className={classNames(fieldClass, 'h-10 pointer-coarse:h-11')}
        />
      )}
    </Field>
  )
}
