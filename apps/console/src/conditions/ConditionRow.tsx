import { type FocusEvent, useEffect, useId, useRef, useState } from 'react'
import { Trash2 } from '#icons'
import { messages } from '../messages/messages.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { AdvancedFields } from './AdvancedFields.tsx'
import { type Finding, FindingLine } from './ConditionFindings.tsx'
import { ConditionText } from './ConditionText.tsx'
import { type DraftChainType, type RawCondition, readText, writeField } from './condition-parts.ts'
import { describeObserved, readSentence } from './describe-condition.ts'
import { SentenceInput } from './SentenceInput.tsx'
import { findTemplate, type SentenceField, templates } from './templates.ts'
import { fromUnits, toUnits } from './units.ts'
import { useConditionUnits } from './use-condition-units.ts'
import { useToken } from './use-token.ts'

/** One condition: its number, its sentence with fields, its errors, and all its fields on demand. */
export function ConditionRow({
  chainType,
  condition,
  position,
  failures,
  wasTried,
  chains,
  finding,
  onChange,
  onRemove,
}: {
  chainType: DraftChainType
  condition: RawCondition
  position: number
  /** Errors of the whole draft, by path. */
  failures: Readonly<Record<string, string>>
  /** Whether the user tried to save or check the draft: then its errors are shown, even of fields that were not left yet. */
  wasTried: boolean
  chains: readonly string[]
  /** The finding of the key nodes, if an address was tested against the shown conditions. */
  finding?: Finding | undefined
  onChange: (condition: RawCondition) => void
  onRemove: () => void
}) {
  const faultId = useId()
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const id = readText(condition, ['id'])
  const name = findTemplate(chainType, condition)
  const token = useToken(
    name === 'erc20' ? readText(condition, ['chain']) : '',
    readText(condition, ['contractAddress']),
  )
  const units = useConditionUnits(chainType, condition)
  const contract = readText(condition, ['contractAddress'])
  /** Whether the amount was entered before the contract: then it counts whole tokens, because no unit was shown. */
  const isWhole = useRef(contract === '')
  /** The contract that the user typed here. A contract from another draft already has its amount. */
  const typedContract = useRef<string>(undefined)
  /** The amount last shown for a token. If the user types another token, the same number of whole tokens is meant. */
  const shown = useRef<{ units: string; decimals: number }>(undefined)
  useEffect(() => {
    if (token === undefined) return
    const { decimals } = token
    const { path } = templates.erc20.fields.amount
    const units = readText(condition, path)
    const { current: before } = shown
    shown.current = { units, decimals }
    if (typedContract.current !== contract) return
    const isOfAnother = before?.units === units && before.decimals !== decimals
    const whole = isWhole.current ? units : isOfAnother ? fromUnits(units, before.decimals) : undefined
    isWhole.current = false
    const amount = whole === undefined ? undefined : toUnits(whole, decimals)
    if (amount !== undefined && amount !== units) onChange(writeField(condition, path, amount))
  }, [token, contract, condition, onChange])
  const own = Object.entries(failures).flatMap(([path, text]) => {
    const prefix = `conditions.${position}`
    if (path !== prefix && !path.startsWith(`${prefix}.`)) return []
    const field = path.slice(prefix.length + 1)
    const isShown = wasTried || [...left].some((one) => field === one || field.startsWith(`${one}.`))
    return isShown ? [{ path: field, text }] : []
  })
  const decimalsOf = ({ decimals }: SentenceField) => (decimals === 'token' ? token?.decimals : decimals)
  const leave = ({ target }: FocusEvent) => {
    const field = target.closest<HTMLElement>('[data-field]')?.dataset['field']
    if (field !== undefined) setLeft(new Set([...left, field]))
  }
  return (
    <li onBlur={leave} className="rounded-lg border border-line bg-surface p-3 sm:p-4">
      <div className="flex items-start gap-3">
        <span
          title={messages.conditions.idChip(id)}
          className="mt-1 grid h-7 min-w-7 shrink-0 place-items-center rounded-full bg-accent-soft px-2 font-semibold text-accent-ink text-sm tabular"
        >
          <span className="sr-only">{messages.conditions.idChip(id)}</span>
          <span aria-hidden="true">{id}</span>
        </span>
        <div className="min-w-0 flex-1">
          <div className="leading-10">
            {name === undefined ? (
              <ConditionText chainType={chainType} condition={condition} />
            ) : (
              readSentence(name, units).map((part) => {
                if ('text' in part) return <span key={part.text}>{part.text}</span>
                const key = part.field.path.join('.')
                return (
                  <SentenceInput
                    key={key}
                    field={part.field}
                    label={messages.conditions.fieldOf(nameField(part.name), id)}
                    value={readText(condition, part.field.path)}
                    decimals={decimalsOf(part.field)}
                    chains={chains}
                    isBad={own.some(({ path }) => path === key)}
                    describedBy={own.length > 0 ? faultId : undefined}
                    onChange={(value) => {
                      if (part.field.kind === 'amount') isWhole.current = contract === ''
                      if (part.name === 'contract') typedContract.current = value
                      onChange(writeField(condition, part.field.path, value))
                    }}
                  />
                )
              })
            )}
          </div>
          {name === 'erc20' ? <TokenNote condition={condition} token={token} /> : undefined}
          <ul id={faultId} className="text-bad text-sm empty:hidden">
            {own.map(({ path, text }) => (
              <li key={path}>{`${nameFailure(path)}${text}`}</li>
            ))}
          </ul>
          {finding === undefined ? undefined : (
            <div className="my-1">
              <FindingLine
                finding={finding}
                show={(observed) => describeObserved(chainType, condition, observed, units)}
              />
            </div>
          )}
          <AdvancedFields chainType={chainType} condition={condition} onChange={onChange} />
        </div>
        <IconButton icon={Trash2} size="small" label={messages.conditions.remove(id)} onClick={onRemove} />
      </div>
    </li>
  )
}

function TokenNote({ condition, token }: { condition: RawCondition; token: ReturnType<typeof useToken> }) {
  const units = readText(condition, ['returnValueTest', 'value'])
  if (token === undefined) {
    return readText(condition, ['contractAddress']) === '' ? undefined : (
      <p className="text-ink-soft text-sm">{messages.conditions.smallestUnits}</p>
    )
  }
  return (
    <p className="text-ink-soft text-sm">
      {messages.conditions.tokenFound(token.name, token.symbol, token.decimals)}
      {fromUnits(units, token.decimals) === units ? '' : ` · ${messages.conditions.units(units)}`}
    </p>
  )
}

function nameField(name: string): string {
  const names: Readonly<Record<string, string>> = messages.conditions.fields
  return names[name] ?? name
}

/** Returns the label of the field of an error, if it has one. */
function nameFailure(path: string): string {
  const names: Readonly<Record<string, string>> = messages.conditions.advancedFields
  const name = names[path.split('.').findLast((part) => Object.hasOwn(names, part)) ?? '']
  return name === undefined ? '' : `${name}: `
}
