import { Check } from '#icons'
import { accents, type Settings } from '../../theme/settings.ts'
import { words } from '../../words/words.ts'

/** The six accents as what they look like; their names are read aloud, and the chosen one has a mark. */
export function AccentChoice({
  value,
  onChange,
}: {
  value: Settings['accent']
  onChange: (accent: Settings['accent']) => void
}) {
  return (
    <fieldset>
      <legend className="mb-2 font-medium text-sm">{words.settings.accent}</legend>
      <div className="flex flex-wrap gap-1 sm:gap-2">
        {accents.map((own) => (
          <label
            key={own}
            title={words.settings.accents[own]}
            data-accent={own}
            className="relative grid size-11 cursor-pointer place-items-center rounded-full bg-accent text-on-accent has-focus-visible:outline-2 has-focus-visible:outline-ink has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name="accent"
              className="sr-only"
              aria-label={words.settings.accents[own]}
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
