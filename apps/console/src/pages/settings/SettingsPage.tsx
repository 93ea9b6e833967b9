import { Check } from 'lucide-react'
import { accents, changeSettings, themes, useSettings } from '../../theme/settings.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { words } from '../../words/words.ts'

/** What this browser keeps of its user's taste. */
export function SettingsPage() {
  const { theme, accent, encrypts, hasShortcuts, staysSignedIn } = useSettings()
  return (
    <>
      <PageHeader title={words.settings.title} hint={words.settings.hint} />
      <div className="flex max-w-2xl flex-col gap-8">
        <Segments
          label={words.settings.theme}
          isLabelShown
          value={theme}
          options={themes.map((value) => ({ value, label: words.settings.themes[value] }))}
          onChange={(value) => changeSettings({ theme: value })}
        />
        <fieldset>
          <legend className="mb-2 font-medium text-sm">{words.settings.accent}</legend>
          <div className="flex flex-wrap gap-2">
            {accents.map((value) => (
              <label
                key={value}
                title={words.settings.accents[value]}
                data-accent={value}
                className="grid size-11 cursor-pointer place-items-center rounded-full bg-accent text-on-accent has-focus-visible:outline-2 has-focus-visible:outline-ink has-focus-visible:outline-offset-2"
              >
                <input
                  type="radio"
                  name="accent"
                  className="sr-only"
                  aria-label={words.settings.accents[value]}
                  checked={value === accent}
                  onChange={() => changeSettings({ accent: value })}
                />
                {value === accent ? <Check aria-hidden="true" size={18} strokeWidth={2.5} /> : undefined}
              </label>
            ))}
          </div>
        </fieldset>
        <fieldset className="flex flex-col gap-3">
          <legend className="mb-2 font-medium text-sm">{words.settings.behaviour}</legend>
          <Toggle
            label={words.settings.encrypts}
            hint={words.settings.encryptsHint}
            isOn={encrypts}
            onChange={(value) => changeSettings({ encrypts: value })}
          />
          <Toggle
            label={words.settings.staysSignedIn}
            hint={words.settings.staysSignedInHint}
            isOn={staysSignedIn}
            onChange={(value) => changeSettings({ staysSignedIn: value })}
          />
          <Toggle
            label={words.settings.shortcuts}
            hint={words.settings.shortcutsHint}
            isOn={hasShortcuts}
            onChange={(value) => changeSettings({ hasShortcuts: value })}
          />
        </fieldset>
      </div>
    </>
  )
}

function Toggle({
  label,
  hint,
  isOn,
  onChange,
}: {
  label: string
  hint: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}) {
  return (
    <label className="flex cursor-pointer items-start gap-3">
      <input
        type="checkbox"
        className="mt-1 size-4 accent-accent"
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>
        <span className="block font-medium text-sm">{label}</span>
        <span className="block text-ink-soft text-sm">{hint}</span>
      </span>
    </label>
  )
}
