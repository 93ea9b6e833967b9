import { useId, useState } from 'react'
import { ChevronRight } from '#icons'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { fieldClass, TextField } from '../ui/forms/TextField.tsx'
import { type DraftChainType, type RawCondition, readField, readText, writeField } from './condition-parts.ts'
import { type AdvancedField, advancedFieldsOf } from './templates.ts'

/** All fields of a condition, as they are saved. */
export function AdvancedFields({
  chainType,
  condition,
  onChange,
}: {
  chainType: DraftChainType
  condition: RawCondition
  onChange: (condition: RawCondition) => void
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="group mt-1" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="inline-flex min-h-8 cursor-pointer items-center text-ink-soft text-sm hover:text-ink">
        <ChevronRight aria-hidden="true" size={14} className="mr-1 transition-transform group-open:rotate-90" />
        {messages.conditions.advanced}
      </summary>
      {isOpen ? (
        <div className="mt-2 flex flex-col gap-3">
          <p className="text-ink-soft text-sm">
            {messages.conditions.advancedHint} {messages.conditions.userAddressHint}
          </p>
          <div className="grid gap-3 sm:grid-cols-2">
            {advancedFieldsOf(chainType).map((field) => (
              <OneField
                key={field.name}
                field={field}
                condition={condition}
                onChange={(value) => onChange(writeField(condition, field.path, value))}
              />
            ))}
          </div>
        </div>
      ) : undefined}
    </details>
  )
}

function OneField({
  field: { name, path, kind, isOptional = false },
  condition,
  onChange,
}: {
  field: AdvancedField
  condition: RawCondition
  onChange: (value: unknown) => void
}) {
  const id = useId()
  const label = messages.conditions.advancedFields[name]
  const text = readText(condition, path)
  const write = (next: string) => onChange(next === '' && isOptional ? undefined : next)
  const place = { 'data-field': path.join('.') }
  if (kind === 'list')
    return <ListField {...place} label={label} value={readField(condition, path)} onChange={onChange} />
  if (Array.isArray(kind)) {
    return (
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium text-sm">
          {label}
        </label>
        <select
          {...place}
          id={id}
          value={text}
          onChange={({ currentTarget }) => write(currentTarget.value)}
          className={classNames(fieldClass, 'h-10 pointer-coarse:h-11')}
        >
          {(kind.includes(text) ? kind : [text, ...kind]).map((option) => (
            <option key={option} value={option}>
              {option === '' ? '–' : option}
            </option>
          ))}
        </select>
      </div>
    )
  }
  return (
    <TextField
      {...place}
      label={label}
      value={text}
      spellCheck={false}
      inputMode={kind === 'number' ? 'numeric' : 'text'}
      onChange={({ currentTarget: { value } }) =>
        kind === 'number' && /^\d{1,9}$/.test(value) ? onChange(Number(value)) : write(value)
      }
    />
  )
}

/** A list, written as JSON; invalid JSON stays here until it is valid. */
function ListField({
  label,
  value,
  onChange,
  ...place
}: {
  label: string
  value: unknown
  onChange: (value: unknown) => void
  'data-field': string
}) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value))
  const [isBad, setBad] = useState(false)
  const change = (next: string) => {
    setText(next)
    if (next.trim() === '') {
      setBad(false)
      return onChange(undefined)
    }
    try {
      onChange(JSON.parse(next))
      setBad(false)
    } catch {
      // Not valid yet; shown below the field.
      setBad(true)
    }
  }
  return (
    <TextField
      {...place}
      label={label}
      value={text}
      spellCheck={false}
      placeholder='[":userAddress"]'
      onChange={({ currentTarget }) => change(currentTarget.value)}
      lateError={isBad ? messages.conditions.notJson : undefined}
    />
  )
}
