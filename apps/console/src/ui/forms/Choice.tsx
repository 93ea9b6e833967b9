import { useId } from 'react'
import type { IconComponent } from '#icons'
import { classNames } from '../class-names.ts'

/** One of a few visible options: radio buttons as cards. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: Value
  options: readonly { value: Value; label: string; hint?: string; icon?: IconComponent; isDisabled?: boolean }[]
  onChange: (value: Value) => void
}) {
  const name = useId()
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 font-medium text-sm">{label}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {options.map(({ value: own, label: text, hint, icon: Icon, isDisabled = false }) => (
          <label
            key={own}
            className={classNames(
              'relative flex cursor-pointer gap-3 rounded-lg border p-3 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2',
              own === value ? 'border-accent bg-accent-soft' : 'border-line hover:bg-hover',
              isDisabled && 'cursor-not-allowed opacity-60',
            )}
          >
            <input
              type="radio"
              name={name}
              value={own}
              checked={own === value}
              disabled={isDisabled}
              onChange={() => onChange(own)}
              className="peer sr-only"
            />
            {Icon === undefined ? undefined : (
              <Icon
                aria-hidden="true"
                size={18}
                className={classNames('mt-0.5 shrink-0', own === value ? 'text-accent-ink' : 'text-ink-soft')}
              />
            )}
            <span className="min-w-0">
              <span className="block font-medium text-sm">{text}</span>
              {hint === undefined ? undefined : <span className="mt-0.5 block text-ink-soft text-sm">{hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
