import { Check } from '#icons'
import { messages } from '../messages/messages.ts'
import { accents, type Settings } from '../theme/settings.ts'

/** The six accents as swatches; their names are read aloud, and the chosen one is marked. */
export function AccentChoice({
  value,
  onChange,
}: {
  value: Settings['accent']
  onChange: (accent: Settings['accent']) => void
}) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium text-sm">{messages.settings.accent}</legend>
      <div className="flex flex-wrap gap-1 sm:gap-2">
        {accents.map((own) => (
          <label
            key={own}
            title={messages.settings.accents[own]}
            data-accent={own}
            className="relative grid size-11 cursor-pointer place-items-center rounded-full bg-accent text-on-accent has-focus-visible:outline-2 has-focus-visible:outline-ink has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name="accent"
              className="sr-only"
              aria-label={messages.settings.accents[own]}
              checked={own === value}
              onChange={() => onChange(own)}
            />
            {own === value ? <Check aria-hidden="true" size={18} strokeWidth={2.5} /> : undefined}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
