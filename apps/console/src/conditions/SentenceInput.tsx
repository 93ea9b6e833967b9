import { comparators } from '@cairn/protocol'
import { useState } from 'react'
import { classNames } from '../ui/class-names.ts'
import { fieldClass } from '../ui/TextField.tsx'
import { words } from '../words/words.ts'
import type { SentenceField } from './templates.ts'
import { fromUnits, toUnits } from './units.ts'

/** What every field within a sentence is given. */
export type SentenceInputProps = {
  field: SentenceField
  label: string
  value: string
  /** Of amounts: digits behind the point, where they are known. */
  decimals: number | undefined
  chains: readonly string[]
  isBad: boolean
  describedBy: string | undefined
  onChange: (value: string) => void
}

const inline =
  'mx-0.5 inline-block h-9 w-auto! max-w-full rounded-md align-baseline [field-sizing:content] pointer-coarse:h-11'

/** One field of a sentence, as wide as what is in it. */
export function SentenceInput(props: SentenceInputProps) {
  const { field, label, value, chains, isBad, describedBy, onChange } = props
  const common = {
    'aria-label': label,
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
            {words.conditions.comparators[comparator]}
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
      placeholder={field.kind === 'address' ? '0x…' : words.conditions.blank}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      className={classNames(
        common.className,
        field.kind === 'address' ? 'min-w-44 font-mono' : field.kind === 'number' ? 'min-w-14 tabular' : 'min-w-20',
      )}
    />
  )
}

/** An amount as people write it; what is saved is in smallest units. */
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

/** Seconds since 1970 as the browser's field for times writes them, in the reader's own time zone. */
function toLocal(seconds: string): string {
  if (!/^\d{1,11}$/.test(seconds)) return ''
  const date = new Date(Number(seconds) * 1000)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function fromLocal(text: string): string {
  const ms = new Date(text).getTime()
  return Number.isNaN(ms) ? '' : String(Math.floor(ms / 1000))
}
