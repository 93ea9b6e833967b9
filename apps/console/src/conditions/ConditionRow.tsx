import { useId } from 'react'
import { Trash2 } from '#icons'
import { IconButton } from '../ui/IconButton.tsx'
import { words } from '../words/words.ts'
import { AdvancedFields } from './AdvancedFields.tsx'
import { type Finding, FindingLine } from './ConditionFindings.tsx'
import { type DraftChainType, type RawCondition, readText, writeField } from './condition-parts.ts'
import { describeCondition, describeObserved, readSentence } from './describe-condition.ts'
import { SentenceInput } from './SentenceInput.tsx'
import { findTemplate, type SentenceField } from './templates.ts'
import { fromUnits } from './units.ts'
import { useToken } from './use-token.ts'

/** One condition: its number, its sentence with fields in it, what is wrong with it, and all its fields on demand. */
export function ConditionRow({
  chainType,
  condition,
  position,
  faults,
  chains,
  finding,
  onChange,
  onRemove,
}: {
  chainType: DraftChainType
  condition: RawCondition
  position: number
  /** Of the whole draft, by path. */
  faults: Readonly<Record<string, string>>
  chains: readonly string[]
  /** What the key nodes found of it, where an address was tried on what is shown. */
  finding?: Finding | undefined
  onChange: (condition: RawCondition) => void
  onRemove: () => void
}) {
  const faultId = useId()
  const id = readText(condition, ['id'])
  const name = findTemplate(chainType, condition)
  const token = useToken(
    name === 'erc20' ? readText(condition, ['chain']) : '',
    readText(condition, ['contractAddress']),
  )
  const own = Object.entries(faults).flatMap(([path, text]) => {
    const prefix = `conditions.${position}`
    return path === prefix || path.startsWith(`${prefix}.`) ? [{ path: path.slice(prefix.length + 1), text }] : []
  })
  const decimalsOf = ({ decimals }: SentenceField) => (decimals === 'token' ? token?.decimals : decimals)
  return (
    <li className="rounded-lg border border-line bg-surface p-3 sm:p-4">
      <div className="flex items-start gap-3">
        <span
          title={words.conditions.idChip(id)}
          className="mt-1 grid h-7 min-w-7 shrink-0 place-items-center rounded-full bg-accent-soft px-2 font-semibold text-accent-ink text-sm tabular"
        >
          <span className="sr-only">{words.conditions.idChip(id)}</span>
          <span aria-hidden="true">{id}</span>
        </span>
        <div className="min-w-0 flex-1">
          <div className="leading-10">
            {name === undefined
              ? describeCondition(chainType, condition)
              : readSentence(name).map((part) => {
                  if ('text' in part) return <span key={part.text}>{part.text}</span>
                  const key = part.field.path.join('.')
                  return (
                    <SentenceInput
                      key={key}
                      field={part.field}
                      label={words.conditions.fieldOf(nameField(part.name), id)}
                      value={readText(condition, part.field.path)}
                      decimals={decimalsOf(part.field)}
                      chains={chains}
                      isBad={own.some(({ path }) => path === key)}
                      describedBy={own.length > 0 ? faultId : undefined}
                      onChange={(value) => onChange(writeField(condition, part.field.path, value))}
                    />
                  )
                })}
          </div>
          {name === 'erc20' ? <TokenNote condition={condition} token={token} /> : undefined}
          <ul id={faultId} className="text-bad text-sm empty:hidden">
            {own.map(({ path, text }) => (
              <li key={path}>{`${nameFault(path)}${text}`}</li>
            ))}
          </ul>
          {finding === undefined ? undefined : (
            <div className="my-1">
              <FindingLine
                finding={finding}
                show={(observed) => describeObserved(chainType, condition, observed, token?.decimals)}
              />
            </div>
          )}
          <AdvancedFields chainType={chainType} condition={condition} onChange={onChange} />
        </div>
        <IconButton icon={Trash2} size="small" label={words.conditions.remove(id)} onClick={onRemove} />
      </div>
    </li>
  )
}

function TokenNote({ condition, token }: { condition: RawCondition; token: ReturnType<typeof useToken> }) {
  const units = readText(condition, ['returnValueTest', 'value'])
  if (token === undefined) {
    return readText(condition, ['contractAddress']) === '' ? undefined : (
      <p className="text-ink-soft text-sm">{words.conditions.smallestUnits}</p>
    )
  }
  return (
    <p className="text-ink-soft text-sm">
      {words.conditions.tokenFound(token.name, token.symbol, token.decimals)}
      {fromUnits(units, token.decimals) === units ? '' : ` · ${words.conditions.units(units)}`}
    </p>
  )
}

function nameField(name: string): string {
  const names: Readonly<Record<string, string>> = words.conditions.fields
  return names[name] ?? name
}

/** The field that a fault is about, in words, where it has a name. */
function nameFault(path: string): string {
  const names: Readonly<Record<string, string>> = words.conditions.advancedFields
  const name = names[path.split('.').findLast((part) => Object.hasOwn(names, part)) ?? '']
  return name === undefined ? '' : `${name}: `
}
