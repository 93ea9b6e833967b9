import { changeSettings, fileFormats, themes, useSettings } from '../../theme/settings.ts'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Segments } from '../../ui/Segments.tsx'
import { words } from '../../words/words.ts'
import { AccentChoice } from './AccentChoice.tsx'
import { DataSection } from './DataSection.tsx'
import { NetworkSection } from './NetworkSection.tsx'
import { SessionSection } from './SessionSection.tsx'
import { Toggle } from './Toggle.tsx'

/** What this browser keeps of its user's taste, the session, the network, and what is stored on this device. */
export function SettingsPage() {
  const { theme, accent, encrypts, fileFormat, hasShortcuts, staysSignedIn, startsAtOnce } = useSettings()
  return (
    <>
      <PageHeader title={words.settings.title} hint={words.settings.hint} />
      <div className="flex max-w-2xl flex-col gap-6">
        <section className="flex flex-col gap-5 rounded-lg border border-line bg-surface p-5 shadow-card">
          <h2 className="font-semibold">{words.settings.appearance}</h2>
          <Segments
            label={words.settings.theme}
            isLabelShown
            value={theme}
            options={themes.map((value) => ({ value, label: words.settings.themes[value] }))}
            onChange={(value) => changeSettings({ theme: value })}
          />
          <AccentChoice value={accent} onChange={(value) => changeSettings({ accent: value })} />
        </section>
        <section className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-5 shadow-card">
          <h2 className="font-semibold">{words.settings.behaviour}</h2>
          <Toggle
            label={words.settings.encrypts}
            hint={words.settings.encryptsHint}
            isOn={encrypts}
            onChange={(value) => changeSettings({ encrypts: value })}
          />
          <Toggle
            label={words.settings.startsAtOnce}
            hint={words.settings.startsAtOnceHint}
            isOn={startsAtOnce}
            onChange={(value) => changeSettings({ startsAtOnce: value })}
          />
          <div className="flex flex-col gap-2">
            <Segments
              label={words.settings.fileFormat}
              isLabelShown
              value={fileFormat}
              options={fileFormats.map((value) => ({ value, label: words.settings.fileFormats[value] }))}
              onChange={(value) => changeSettings({ fileFormat: value })}
            />
            <p className="text-ink-soft text-sm">{words.settings.fileFormatHints[fileFormat]}</p>
          </div>
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
        </section>
        <SessionSection />
        <NetworkSection />
        <DataSection />
      </div>
    </>
  )
}
