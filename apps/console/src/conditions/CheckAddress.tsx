import { explainAccess, explainConditions } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CircleCheck, CircleHelp, CircleX } from '#icons'
import { AddressField } from '../contacts/AddressField.tsx'
import { describeTypo } from '../contacts/mistyped.ts'
import { useAddresses } from '../contacts/use-addresses.ts'
import { useContacts } from '../contacts/use-contacts.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useSession } from '../session/session-store.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import type { Verdict } from './ConditionFindings.tsx'
import { type Draft, toInput } from './draft.ts'

/** Verdict of the key nodes about an address and a draft, and whether that draft was the saved one. */
export type Tried = { about: string; draft: Draft; isSaved: boolean; verdict: Verdict }

/**
 * Shows whether an address has access, and the result of each condition, for the saved conditions or the
 * draft.
 * @param tried the last verdict, while it applies to the shown conditions
 */
export function CheckAddress({
  cid,
  draft,
  hasChanges = false,
  canAskOthers = true,
  isRight = () => true,
  tried,
  onTried,
}: {
  cid: string
  draft: Draft
  hasChanges?: boolean
  canAskOthers?: boolean
  /** Whether the draft can be checked. If not, it shows the errors. */
  isRight?: () => boolean
  tried: Tried | undefined
  onTried: (tried: Tried | undefined) => void
}) {
  const needKeyClient = useKeyClient()
  const own = useSession()?.address
  const [text, setText] = useState('')
  const [wasTried, setTried] = useState(false)
  const { contacts } = useContacts()
  const { addresses, bad, ens } = useAddresses(text, contacts)
  const address = addresses.length === 1 && bad.length === 0 ? (addresses[0] ?? '') : ''
  const check = useMutation({
    mutationFn: async (about: string): Promise<Tried> => {
      const client = await needKeyClient()
      const verdict = hasChanges
        ? await explainConditions(client, toInput(draft), { about })
        : await explainAccess(client, cid, { about })
      return { about, draft, isSaved: !hasChanges, verdict }
    },
    onMutate: () => onTried(undefined),
    onSuccess: onTried,
  })
  const { error } = check
  return (
    <section aria-label={messages.conditions.check} className="flex flex-col gap-3">
      <div>
        <h3 className="font-medium text-sm">{messages.conditions.check}</h3>
        <p className="text-ink-soft text-sm">
          {messages.conditions.checkHint} {hasChanges ? messages.conditions.checkUnsaved : ''}
        </p>
      </div>
      <form
        className="flex flex-wrap items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (address !== '' && isRight()) check.mutate(address)
        }}
      >
        {own === undefined ? undefined : (
          <Button
            isBusy={check.isPending && check.variables === own}
            onClick={() => (isRight() ? check.mutate(own) : undefined)}
          >
            {messages.conditions.checkOwn}
          </Button>
        )}
        {canAskOthers ? (
          <>
            <AddressField
              label={messages.conditions.checkLabel}
              isLabelHidden
              text={text}
              placeholder={messages.conditions.checkPlaceholder}
              contacts={contacts}
              ens={ens}
              onText={(next) => {
                setText(next)
                check.reset()
              }}
              error={wasTried && address === '' ? (describeTypo(bad) ?? messages.conditions.checkBad) : undefined}
              className="min-w-0 flex-1 basis-64"
            />
            <Button type="submit" isBusy={check.isPending && check.variables !== own}>
              {messages.conditions.checkGo}
            </Button>
          </>
        ) : undefined}
      </form>
      <div role="status" className="contents">
        {tried === undefined ? undefined : <Summary tried={tried} isOwn={tried.about === own} />}
      </div>
      {error === null || isAborted(error) ? undefined : <ErrorState error={error} />}
    </section>
  )
}

function Summary({ tried: { about, isSaved, verdict }, isOwn }: { tried: Tried; isOwn: boolean }) {
  const { isAllowed, by, conditions } = verdict
  // A refusal because of chains that did not answer may change later.
  const isUnknown = !isAllowed && conditions.some(({ result }) => result === 'unknown')
  const [Icon, tone] = isAllowed
    ? [CircleCheck, 'text-good']
    : isUnknown
      ? [CircleHelp, 'text-warn']
      : [CircleX, 'text-bad']
  const { passes, passesBy, fails, passesUnsaved, failsUnsaved, undecided } = messages.conditions
  const sentence = isUnknown
    ? undecided
    : isSaved
      ? isAllowed
        ? `${passes} ${passesBy[by]}.`
        : `${fails}.`
      : isAllowed
        ? passesUnsaved
        : failsUnsaved
  return (
    <div className="flex items-start gap-2 text-sm">
      <Icon aria-hidden="true" size={18} className={`mt-px shrink-0 ${tone}`} />
      <div className="min-w-0">
        <p className="font-medium">{sentence}</p>
        <p className="break-all text-ink-soft">
          {isOwn ? messages.conditions.checkedOwn : messages.conditions.checkedOther}{' '}
          <code className="font-mono">{about}</code>
        </p>
      </div>
    </div>
  )
}
