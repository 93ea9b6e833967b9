import { useId } from 'react'
import type { IconComponent } from '#icons'
import { classNames } from '../class-names.ts'

/** One of a few short options: radio buttons in one line. On a phone, icons are above the texts, so that three options fit. */
export function Segments<Value extends string>({
  label,
  value,
  options,
  onChange,
  isLabelShown = false,
}: {
  label: string
  value: Value
  options: readonly { value: Value; label: string; icon?: IconComponent; isDisabled?: boolean }[]
  onChange: (value: Value) => void
  isLabelShown?: boolean
}) {
  const name = useId()
  return (
    <fieldset className="min-w-0">
      <legend className={isLabelShown ? 'mb-2 font-medium text-sm' : 'sr-only'}>{label}</legend>
      <div className="inline-flex max-w-full flex-wrap gap-1 rounded-md bg-sunken p-1">
        {options.map(({ value: own, label: text, icon: Icon, isDisabled = false }) => (
          <label
            key={own}
            className={classNames(
              'flex min-h-8 cursor-pointer items-center rounded-sm font-medium text-sm transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11 pointer-coarse:min-w-11 pointer-coarse:justify-center',
              Icon === undefined
                ? 'px-3'
                : 'gap-2 px-3 max-[26rem]:flex-col max-[26rem]:gap-0.5 max-[26rem]:px-2 max-[26rem]:py-1',
              own === value ? 'bg-surface text-ink shadow-card' : 'text-ink-soft hover:text-ink',
              isDisabled && 'cursor-not-allowed opacity-60',
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={own === value}
              disabled={isDisabled}
              onChange={() => onChange(own)}
            />
            {Icon === undefined ? undefined : <Icon aria-hidden="true" size={15} />}
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
