import { removeConditions, setConditions } from '@cairn/sdk'
import { useState } from 'react'
import { Braces, Plus } from '#icons'
import { RunningChange } from '../access/RunningChange.tsx'
import { useKeyChange } from '../access/use-key-change.ts'
import { queryClient } from '../network/query-client.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { ButtonMenu } from '../ui/Menu.tsx'
import { toastError } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'
import { CheckAddress, type Tried } from './CheckAddress.tsx'
import { ConditionRow } from './ConditionRow.tsx'
import { ConditionsDiff } from './ConditionsDiff.tsx'
import { readText } from './condition-parts.ts'
import { diffDrafts } from './diff-drafts.ts'
import { checkDraft, type Draft, nextId, toInput } from './draft.ts'
import { JoinFields } from './JoinFields.tsx'
import { JsonDialog } from './JsonDialog.tsx'
import { keepDraft, recallDraft } from './kept-drafts.ts'
import { TemplatePicker } from './TemplatePicker.tsx'
import { createCondition, type TemplateName, templateNames, templates } from './templates.ts'
import { useChains } from './use-chains.ts'

/** Conditions as sentences with fields in them; nothing is sent before Save, and Save says what it changes. */
export function ConditionsEditor({ cid, name, saved }: { cid: string; name: string; saved: Draft }) {
  const [edited, setDraft] = useState(() => recallDraft(cid))
  const setEdited = (next: Draft | undefined) => {
    keepDraft(cid, next)
    setDraft(next)
  }
  const [isJsonOpen, setJsonOpen] = useState(false)
  const { running, start } = useKeyChange(cid)
  const draft = edited ?? saved
  const { names: chains } = useChains(draft.chainType)
  const faults = checkDraft(draft)
  const faultCount = Object.keys(faults.fields).length + (faults.other === undefined ? 0 : 1)
  const hasChanges = diffDrafts(saved, draft).length > 0
  const [lastTried, setTried] = useState<Tried>()
  // What was found holds for what was asked about, and not for what was typed since.
  const isStillTried =
    lastTried !== undefined && lastTried.isSaved !== hasChanges && diffDrafts(lastTried.draft, draft).length === 0
  const tried = isStillTried ? lastTried : undefined
  const add = (kind: TemplateName) => {
    const { chainType } = templates[kind]
    const isSame = draft.chainType === chainType && draft.conditions.length > 0
    const before = isSame ? draft : { ...draft, chainType, conditions: [], mode: 'all' as const }
    const chain = (isSame ? chains[0] : undefined) ?? chainHint(kind, chains, draft.chainType === chainType)
    setEdited({ ...before, conditions: [...before.conditions, createCondition(kind, nextId(before), chain)] })
  }
  const save = async () => {
    try {
      await start({
        name: words.access.pendingConditions(name),
        run: async (client, options) => {
          const result =
            draft.conditions.length === 0
              ? await removeConditions(client, cid, options)
              : await setConditions(client, cid, toInput(draft), options)
          await queryClient.refetchQueries({ queryKey: ['conditions', cid] })
          // What was typed meanwhile stays.
          if (recallDraft(cid) === edited) setEdited(undefined)
          return result
        },
      })
    } catch (error) {
      if (!isAborted(error)) toastError(words.conditions.title, error)
    }
  }
  return (
    <div className="flex flex-col gap-5">
      {draft.conditions.length === 0 ? (
        <TemplatePicker
          chainType={draft.chainType}
          onFamily={(chainType) => setEdited({ ...draft, chainType })}
          onPick={add}
        />
      ) : (
        <>
          <ol aria-label={words.conditions.title} className="flex flex-col gap-3">
            {draft.conditions.map((condition, position) => (
              <ConditionRow
                key={readText(condition, ['id'])}
                chainType={draft.chainType}
                condition={condition}
                position={position}
                faults={faults.fields}
                chains={chains}
                finding={tried?.verdict.conditions.find(({ id }) => String(id) === readText(condition, ['id']))}
                onChange={(next) => setEdited({ ...draft, conditions: draft.conditions.with(position, next) })}
                onRemove={() => setEdited({ ...draft, conditions: draft.conditions.toSpliced(position, 1) })}
              />
            ))}
          </ol>
          {draft.conditions.length < 2 ? undefined : (
            <JoinFields draft={draft} fault={faults.other} onChange={setEdited} />
          )}
        </>
      )}
      <div className="flex flex-wrap gap-2">
        {draft.conditions.length === 0 || draft.conditions.length >= 10 ? undefined : (
          <ButtonMenu
            align="start"
            label={words.conditions.add}
            items={templateNames
              .filter((kind) => templates[kind].chainType === draft.chainType)
              .map((kind) => ({
                id: kind,
                label: words.conditions.kinds[kind].label,
                icon: Plus,
                run: () => add(kind),
              }))}
          >
            <Button>
              <Plus aria-hidden="true" size={16} />
              {words.conditions.add}
            </Button>
          </ButtonMenu>
        )}
        <Button kind="quiet" onClick={() => setJsonOpen(true)}>
          <Braces aria-hidden="true" size={16} />
          {words.conditions.json}
        </Button>
      </div>
      {draft.conditions.length > 0 ? (
        <CheckAddress
          cid={cid}
          draft={draft}
          hasChanges={hasChanges}
          isDisabled={faultCount > 0}
          tried={tried}
          onTried={setTried}
        />
      ) : undefined}
      {running === undefined ? undefined : <RunningChange transfer={running} />}
      <ConditionsDiff saved={saved} draft={draft} />
      {hasChanges ? (
        <div className="flex flex-wrap items-center justify-end gap-2">
          {faultCount > 0 ? (
            <p className="mr-auto text-bad text-sm">{words.conditions.badCount(faultCount)}</p>
          ) : undefined}
          <Button onClick={() => setEdited(undefined)}>{words.conditions.discard}</Button>
          <Button
            kind={draft.conditions.length === 0 ? 'danger' : 'primary'}
            disabled={faultCount > 0}
            isBusy={running !== undefined}
            onClick={() => void save()}
          >
            {draft.conditions.length === 0 ? words.conditions.removeAll : words.conditions.save}
          </Button>
        </div>
      ) : undefined}
      {isJsonOpen ? <JsonDialog draft={draft} onClose={() => setJsonOpen(false)} onUse={setEdited} /> : undefined}
    </div>
  )
}

/** The chain that a new condition begins with, until its owner chooses another. */
function chainHint(kind: TemplateName, chains: readonly string[], isSameFamily: boolean): string {
  const first = isSameFamily ? chains[0] : undefined
  if (first !== undefined) return first
  const { chainType } = templates[kind]
  return chainType === 'EVM' ? 'Ethereum' : chainType === 'SOLANA' ? 'MAINNET' : 'Coreum_Mainnet'
}
