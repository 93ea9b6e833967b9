import { comparators } from '@cairn/protocol'
import { useState } from 'react'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { fieldClass } from '../ui/forms/TextField.tsx'
import type { SentenceField } from './templates.ts'
import { fromUnits, toUnits } from './units.ts'

/** Props of every field within a sentence. */
export type SentenceInputProps = {
  field: SentenceField
  label: string
  value: string
  /** For amounts: digits after the decimal point, if known. */
  decimals: number | undefined
  chains: readonly string[]
  isBad: boolean
  describedBy: string | undefined
  onChange: (value: string) => void
}

const inline =
  'mx-0.5 inline-block h-9 w-auto! max-w-full rounded-md align-baseline [field-sizing:content] pointer-coarse:h-11'

/** One field of a sentence, as wide as its content. */
export function SentenceInput(props: SentenceInputProps) {
  const { field, label, value, chains, isBad, describedBy, onChange } = props
  const common = {
    'aria-label': label,
    'data-field': field.path.join('.'),
    title: label,
    className: classNames(fieldClass, inline),
    ...(isBad ? { 'aria-invalid': true } : {}),
    ...(describedBy === undefined ? {} : { 'aria-describedby': describedBy }),
  }
  if (field.kind === 'comparator') {
    return (
      <select {...common} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {comparators.map((comparator) => (
          <option key={comparator} value={comparator}>
            {messages.conditions.comparators[comparator]}
          </option>
        ))}
      </select>
    )
  }
  if (field.kind === 'chain' && chains.length > 0) {
    const known = chains.find((name) => name.toLowerCase() === value.toLowerCase())
    return (
      <select {...common} value={known ?? value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {(known === undefined ? [value, ...chains] : chains).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    )
  }
  if (field.kind === 'time') {
    return (
      <input
        {...common}
        type="datetime-local"
        value={toLocal(value)}
        onChange={({ currentTarget }) => onChange(fromLocal(currentTarget.value))}
      />
    )
  }
  if (field.kind === 'amount') return <AmountInput key={props.decimals ?? 'units'} {...props} common={common} />
  return (
    <input
      {...common}
      value={value}
      spellCheck={false}
      autoComplete="off"
      inputMode={field.kind === 'number' ? 'numeric' : 'text'}
      placeholder={field.kind === 'address' ? '0x…' : messages.conditions.blank}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      className={classNames(
        common.className,
        field.kind === 'address' ? 'min-w-44 font-mono' : field.kind === 'number' ? 'min-w-14 tabular' : 'min-w-20',
      )}
    />
  )
}

/** An amount as people write it; the saved value is in smallest units. */
function AmountInput({
  value,
  decimals = 0,
  onChange,
  common,
}: SentenceInputProps & { common: { className: string; 'aria-label': string } }) {
  const [text, setText] = useState(fromUnits(value, decimals))
  return (
    <input
      {...common}
      value={toUnits(text, decimals) === value ? text : fromUnits(value, decimals)}
      inputMode="decimal"
      autoComplete="off"
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        onChange(toUnits(currentTarget.value, decimals) ?? currentTarget.value)
      }}
      className={classNames(common.className, 'min-w-14 tabular')}
    />
  )
}

/** Formats seconds since 1970 for the time input of the browser, in the local time zone. */
function toLocal(seconds: string): string {
  if (!/^\d{1,11}$/.test(seconds)) return ''
  const date = new Date(Number(seconds) * 1000)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function fromLocal(text: string): string {
  const ms = new Date(text).getTime()
  return Number.isNaN(ms) ? '' : String(Math.floor(ms / 1000))
}
