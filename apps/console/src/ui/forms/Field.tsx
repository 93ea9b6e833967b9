import { type ReactNode, useId } from 'react'
import { classNames } from '../class-names.ts'

/** The attributes that connect an input with its label, hint and error. */
export type FieldInput = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }

/** The frame of an input: its label, a hint, and its error. */
export function Field({
  label,
  hint,
  error,
  isLabelHidden = false,
  className,
  note,
  children,
}: {
  label: string
  hint?: ReactNode
  error?: string | undefined
  isLabelHidden?: boolean
  className?: string | undefined
  /** Content between the input and its hint. */
  note?: ReactNode
  children: (input: FieldInput) => ReactNode
}) {
  const id = useId()
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`].filter(Boolean)
  return (
    <div className={classNames('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'font-medium text-sm'}>
        {label}
      </label>
      {children({
        id,
        ...(described.length === 0 ? {} : { 'aria-describedby': described.join(' ') }),
        ...(error === undefined ? {} : { 'aria-invalid': true }),
      })}
      {note}
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
