import { messages } from '../messages/messages.ts'
import { changeSettings, fileFormats, themes, uploadAccesses, useSettings } from '../theme/settings.ts'
import { Segments } from '../ui/forms/Segments.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { AccentChoice } from './AccentChoice.tsx'
import { DataSection } from './DataSection.tsx'
import { LanguageChoice } from './LanguageChoice.tsx'
import { NetworkSection } from './NetworkSection.tsx'
import { SessionSection } from './SessionSection.tsx'
import { Toggle } from './Toggle.tsx'

/** Preferences, the session, the network, and the data on this device. */
export function SettingsPage() {
  const { theme, accent, language, access, fileFormat, hasShortcuts, staysSignedIn, startsAtOnce } = useSettings()
  return (
    <>
      <PageHeader title={messages.pages.settings} hint={messages.settings.hint} />
      <div className="flex max-w-2xl flex-col gap-6">
        <section className="flex flex-col gap-5 rounded-lg border border-line bg-surface p-5 shadow-card">
          <h2 className="font-semibold">{messages.settings.appearance}</h2>
          <Segments
            label={messages.settings.theme}
            isLabelShown
            value={theme}
            options={themes.map((value) => ({ value, label: messages.settings.themes[value] }))}
            onChange={(value) => changeSettings({ theme: value })}
          />
          <AccentChoice value={accent} onChange={(value) => changeSettings({ accent: value })} />
          <LanguageChoice value={language} />
        </section>
        <section className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-5 shadow-card">
          <h2 className="font-semibold">{messages.settings.behaviour}</h2>
          <div className="flex flex-col gap-2">
            <Segments
              label={messages.settings.access}
              isLabelShown
              value={access}
              options={uploadAccesses.map((value) => ({ value, label: messages.upload[value] }))}
              onChange={(value) => changeSettings({ access: value })}
            />
            <p className="text-ink-soft text-sm">{messages.settings.accessHint}</p>
          </div>
          <Toggle
            label={messages.settings.startsAtOnce}
            hint={messages.settings.startsAtOnceHint}
            isOn={startsAtOnce}
            onChange={(value) => changeSettings({ startsAtOnce: value })}
          />
          <div className="flex flex-col gap-2">
            <Segments
              label={messages.settings.fileFormat}
              isLabelShown
              value={fileFormat}
              options={fileFormats.map((value) => ({ value, label: messages.settings.fileFormats[value] }))}
              onChange={(value) => changeSettings({ fileFormat: value })}
            />
            <p className="text-ink-soft text-sm">{messages.settings.fileFormatHints[fileFormat]}</p>
          </div>
          <Toggle
            label={messages.settings.staysSignedIn}
            hint={messages.settings.staysSignedInHint}
            isOn={staysSignedIn}
            onChange={(value) => changeSettings({ staysSignedIn: value })}
          />
          <Toggle
            label={messages.settings.shortcuts}
            hint={messages.settings.shortcutsHint}
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
