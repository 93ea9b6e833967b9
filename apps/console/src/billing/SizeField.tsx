import { useId } from 'react'
import { messages } from '../messages/messages.ts'
import { fieldClass, TextField } from '../ui/forms/TextField.tsx'
import { type SizeUnit, sizeUnits } from './read-size.ts'

/** A size in figures, and its unit. */
export function SizeField({
  text,
  unit,
  error,
  onText,
  onUnit,
}: {
  text: string
  unit: SizeUnit
  error: string | undefined
  onText: (text: string) => void
  onUnit: (unit: SizeUnit) => void
}) {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <TextField
        label={messages.billing.amount}
        className="min-w-0 flex-1"
        inputMode="decimal"
        maxLength={20}
        value={text}
        lateError={error}
        onChange={({ target }) => onText(target.value)}
      />
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium text-sm">
          {messages.billing.unit}
        </label>
        <select
          id={id}
          value={unit}
          className={`${fieldClass} h-10 pointer-coarse:h-11`}
          onChange={({ target }) => onUnit(sizeUnits.find((one) => one === target.value) ?? 'GiB')}
        >
          {sizeUnits.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </div>
    </div>
  )
}
