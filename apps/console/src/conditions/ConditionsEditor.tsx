import { documentedChains, familyOf, maxConditions } from '@cairn/protocol'
import { removeConditions, setConditions } from '@cairn/sdk'
import { useEffect, useRef, useState } from 'react'
import { Braces, Plus } from '#icons'
import { RunningChange } from '../key-changes/RunningChange.tsx'
import { useKeyChange } from '../key-changes/use-key-change.ts'
import { messages } from '../messages/messages.ts'
import { queryClient } from '../network/query-client.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { FormTried } from '../ui/forms/form-tried.ts'
import { ButtonMenu } from '../ui/Menu.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { CheckAddress, type Tried } from './CheckAddress.tsx'
import { ConditionRow } from './ConditionRow.tsx'
import { ConditionsDiff } from './ConditionsDiff.tsx'
import { type DraftChainType, readText } from './condition-parts.ts'
import { diffDrafts } from './diff-drafts.ts'
import { checkDraft, type Draft, nextId, toInput } from './draft.ts'
import { JoinFields } from './JoinFields.tsx'
import { JsonDialog } from './JsonDialog.tsx'
import { keepDraft, recallDraft } from './kept-drafts.ts'
import { TemplatePicker } from './TemplatePicker.tsx'
import { createCondition, type TemplateName, templateNames, templates } from './templates.ts'
import { useChains } from './use-chains.ts'

/** Edits conditions as sentences with fields; only Save sends them, and it shows the changes first. */
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
  const failures = checkDraft(draft)
  const errorCount = Object.keys(failures.fields).length + (failures.other === undefined ? 0 : 1)
  const hasChanges = diffDrafts(saved, draft).length > 0
  const [lastTried, setTried] = useState<Tried>()
  // The verdict applies to the tested draft, not to later edits.
  const isStillTried =
    lastTried !== undefined && lastTried.isSaved !== hasChanges && diffDrafts(lastTried.draft, draft).length === 0
  const tried = isStillTried ? lastTried : undefined
  const editor = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLOListElement>(null)
  /**
   * Conditions that the user has tried to save or check: only their errors are shown, so that a new condition starts without any.
   */
  const [wereTried, setWereTried] = useState<ReadonlySet<string>>(new Set())
  const ids = draft.conditions.map((condition) => readText(condition, ['id']))
  const isRight = () => {
    if (errorCount === 0) return true
    setWereTried(new Set(ids))
    setTries(tries + 1)
    return false
  }
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (tries > 0) editor.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [tries])
  const wasTried = ids.some((id) => wereTried.has(id))
  /** The condition that was added last: its first field has the focus. */
  const added = useRef<string>(undefined)
  useEffect(() => {
    const { current: id } = added
    if (id === undefined) return
    added.current = undefined
    const position = draft.conditions.findIndex((condition) => readText(condition, ['id']) === id)
    list.current?.children[position]?.querySelector<HTMLElement>('select, input')?.focus()
  }, [draft])
  const add = (kind: TemplateName) => {
    const { chainType } = templates[kind]
    const isSameFamily = draft.chainType === chainType
    const isAnother = isSameFamily && draft.conditions.length > 0
    const before = isAnother ? draft : { ...draft, chainType, conditions: [], mode: 'all' as const }
    const chain = (isSameFamily ? chains[0] : undefined) ?? documentedChains[familyOf(chainType) ?? 'evm'].usual
    const id = nextId(before)
    added.current = String(id)
    // The id may be that of a removed condition.
    setWereTried(new Set([...wereTried].filter((one) => one !== String(id))))
    setEdited({ ...before, conditions: [...before.conditions, createCondition(kind, id, chain)] })
  }
  const save = async () => {
    if (!isRight()) return
    const failedName = messages.access.failedConditions(name)
    try {
      await start({
        name: messages.access.pendingConditions(name),
        doneName: messages.access.doneConditions(name),
        failedName,
        run: async (client, options) => {
          const result =
            draft.conditions.length === 0
              ? await removeConditions(client, cid, options)
              : await setConditions(client, cid, toInput(draft), options)
          await queryClient.refetchQueries({ queryKey: ['conditions', cid] })
          // Edits made meanwhile stay.
          if (recallDraft(cid) === edited) setEdited(undefined)
          return result
        },
      })
    } catch (error) {
      if (!isAborted(error)) toastError(failedName, error)
    }
  }
  return (
    <div ref={editor} className="flex flex-col gap-5">
      {draft.conditions.length === 0 ? (
        <TemplatePicker
          chainType={draft.chainType}
          onFamily={(chainType) => setEdited({ ...draft, chainType })}
          onPick={add}
        />
      ) : (
        <>
          <ol ref={list} aria-label={messages.conditions.title} className="flex flex-col gap-3">
            {draft.conditions.map((condition, position) => (
              <ConditionRow
                key={readText(condition, ['id'])}
                chainType={draft.chainType}
                condition={condition}
                position={position}
                failures={failures.fields}
                wasTried={wereTried.has(readText(condition, ['id']))}
                chains={chains}
                finding={tried?.verdict.conditions.find(({ id }) => String(id) === readText(condition, ['id']))}
                onChange={(next) => setEdited({ ...draft, conditions: draft.conditions.with(position, next) })}
                onRemove={() => setEdited({ ...draft, conditions: draft.conditions.toSpliced(position, 1) })}
              />
            ))}
          </ol>
          {draft.conditions.length < 2 ? undefined : (
            <FormTried value={wasTried}>
              <JoinFields draft={draft} failure={failures.other} onChange={setEdited} />
            </FormTried>
          )}
        </>
      )}
      <div className="flex flex-wrap gap-2">
        {draft.conditions.length === 0 || draft.conditions.length >= maxConditions ? undefined : (
          <AddCondition chainType={draft.chainType} onPick={add} />
        )}
        <Button kind="quiet" onClick={() => setJsonOpen(true)}>
          <Braces aria-hidden="true" size={16} />
          {messages.conditions.json}
        </Button>
      </div>
      {draft.conditions.length > 0 ? (
        <CheckAddress
          cid={cid}
          draft={draft}
          hasChanges={hasChanges}
          isRight={isRight}
          tried={tried}
          onTried={setTried}
        />
      ) : undefined}
      {running === undefined ? undefined : <RunningChange transfer={running} />}
      <ConditionsDiff saved={saved} draft={draft} />
      {hasChanges ? (
        <div className="flex flex-wrap items-center justify-end gap-2">
          {wasTried && errorCount > 0 ? (
            <p className="mr-auto text-bad text-sm">{messages.conditions.badCount(errorCount)}</p>
          ) : undefined}
          <Button onClick={() => setEdited(undefined)}>{messages.conditions.discard}</Button>
          <Button
            kind={draft.conditions.length === 0 ? 'danger' : 'primary'}
            isBusy={running !== undefined}
            onClick={() => void save()}
          >
            {draft.conditions.length === 0 ? messages.conditions.removeAll : messages.conditions.save}
          </Button>
        </div>
      ) : undefined}
      {isJsonOpen ? <JsonDialog draft={draft} onClose={() => setJsonOpen(false)} onUse={setEdited} /> : undefined}
    </div>
  )
}

/** Adds a condition of the chain family of the others. */
function AddCondition({ chainType, onPick }: { chainType: DraftChainType; onPick: (kind: TemplateName) => void }) {
  return (
    <ButtonMenu
      align="start"
      label={messages.conditions.add}
      items={templateNames
        .filter((kind) => templates[kind].chainType === chainType)
        .map((kind) => ({
          id: kind,
          label: messages.conditions.kinds[kind].label,
          icon: Plus,
          run: () => onPick(kind),
        }))}
    >
      <Button>
        <Plus aria-hidden="true" size={16} />
        {messages.conditions.add}
      </Button>
    </ButtonMenu>
  )
}
