import { languages, nameLanguage } from '../messages/languages.ts'
import { messages } from '../messages/messages.ts'
import { changeSettings } from '../theme/settings.ts'
import { Segments } from '../ui/forms/Segments.tsx'

/** The languages of the console, each by its own name. A choice reloads the page, whose texts are loaded before it. */
export function LanguageChoice({ value }: { value: string }) {
  const offered = Object.keys(languages)
  return (
    <div className="flex flex-col gap-2">
      <Segments
        label={messages.settings.language}
        isLabelShown
        value={offered.includes(value) ? value : 'system'}
        options={[
          { value: 'system', label: messages.settings.languageOfBrowser },
          ...offered.map((tag) => ({ value: tag, label: nameLanguage(tag) })),
        ]}
        onChange={(language) => {
          changeSettings({ language })
          location.reload()
        }}
      />
      <p className="text-ink-soft text-sm">{messages.settings.languageHint}</p>
    </div>
  )
}
