import { messages } from '../messages/messages.ts'
import { Segments } from '../ui/forms/Segments.tsx'
import { type ClashChoice, clashChoices } from './name-clashes.ts'

/** Names uploads whose names are taken in their folder, and asks what happens to them. */
export function ClashChoiceField({
  names,
  value,
  onChange,
}: {
  names: readonly string[]
  value: ClashChoice
  onChange: (choice: ClashChoice) => void
}) {
  const { upload } = messages
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className="break-words font-medium text-sm">
        {upload.clash(names)}
      </p>
      <Segments
        label={upload.clashLabel}
        value={value}
        options={clashChoices.map((choice) => ({ value: choice, label: upload.clashChoices[choice] }))}
        onChange={onChange}
      />
      <p className="text-ink-soft text-sm">{upload.clashHints[value]}</p>
    </div>
  )
}
