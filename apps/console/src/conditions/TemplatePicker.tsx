import { familyFacts, familyOf, readChainTypes } from '@cairn/protocol'
import { Blocks, Clock, Coins, Gem, type IconComponent, Image, Images, Landmark, SquareFunction } from '#icons'
import { messages } from '../messages/messages.ts'
import { Segments } from '../ui/forms/Segments.tsx'
import type { DraftChainType } from './condition-parts.ts'
import { type TemplateIcon, type TemplateName, templateNames, templates } from './templates.ts'
import { useChains } from './use-chains.ts'

/** Names a family: by its text of the console, or as signed messages do. */
function nameFamily(chainType: DraftChainType): string {
  const names: Readonly<Partial<Record<DraftChainType, string>>> = messages.conditions.families
  return names[chainType] ?? familyFacts[familyOf(chainType) ?? 'evm'].name
}

const icons: Readonly<Record<TemplateIcon, IconComponent>> = {
  Blocks,
  Clock,
  Coins,
  Gem,
  Image,
  Images,
  Landmark,
  SquareFunction,
}

/** Offers templates for the first condition, in everyday terms. */
export function TemplatePicker({
  chainType,
  onFamily,
  onPick,
}: {
  chainType: DraftChainType
  onFamily: (chainType: DraftChainType) => void
  onPick: (kind: TemplateName) => void
}) {
  const { isRead } = useChains(chainType)
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">
        <span className="font-medium">{messages.conditions.emptyTitle}.</span>{' '}
        <span className="text-ink-soft">{messages.conditions.emptyHint}</span>
      </p>
      <Segments
        label={messages.conditions.family}
        value={chainType}
        onChange={onFamily}
        options={readChainTypes.map((value) => ({ value, label: nameFamily(value) }))}
      />
      {isRead ? undefined : <p className="text-sm text-warn">{messages.conditions.notRead}</p>}
      <ul className="grid gap-2 sm:grid-cols-2">
        {templateNames
          .filter((kind) => templates[kind].chainType === chainType)
          .map((kind) => {
            const Icon = icons[templates[kind].icon]
            return (
              <li key={kind}>
                <button
                  type="button"
                  onClick={() => onPick(kind)}
                  className="flex h-full min-h-11 w-full items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2.5 text-left font-medium text-sm shadow-card transition-colors hover:border-accent-line hover:bg-accent-soft"
                >
                  <Icon aria-hidden="true" size={18} className="shrink-0 text-accent-ink" />
                  {messages.conditions.kinds[kind].label}
                </button>
              </li>
            )
          })}
      </ul>
    </div>
  )
}
