import { normalizeIdentity } from '@cairn/protocol'
import { explainAccess } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleX } from 'lucide-react'
import { useState } from 'react'
import { isAborted } from '../session/is-aborted.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { TextField } from '../ui/TextField.tsx'
import { words } from '../words/words.ts'
import { ConditionFindings } from './ConditionFindings.tsx'

/** Whether an address could open the file now, and which condition says what. */
export function CheckAddress({ cid, hasChanges }: { cid: string; hasChanges: boolean }) {
  const needKeyClient = useKeyClient()
  const [text, setText] = useState('')
  const [wasTried, setTried] = useState(false)
  const address = normalizeIdentity(text.trim())
  const check = useMutation({
    mutationFn: async (about: string) => explainAccess(await needKeyClient(), cid, { about }),
  })
  const { data, error } = check
  return (
    <section className="flex flex-col gap-3">
      <div>
        <h3 className="font-medium text-sm">{words.conditions.check}</h3>
        <p className="text-ink-soft text-sm">
          {words.conditions.checkHint} {hasChanges ? words.conditions.checkSaved : ''}
        </p>
      </div>
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          if (address !== '') check.mutate(address)
        }}
      >
        <TextField
          label={words.conditions.checkLabel}
          isLabelHidden
          value={text}
          placeholder="0x…"
          spellCheck={false}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            check.reset()
          }}
          error={wasTried && address === '' ? words.conditions.checkBad : undefined}
          className="min-w-0 flex-1 basis-64"
        />
        <Button type="submit" isBusy={check.isPending}>
          {words.conditions.checkGo}
        </Button>
      </form>
      <div role="status" className="contents">
        {data === undefined ? undefined : (
          <div className="flex flex-col gap-3">
            <p className="flex items-center gap-2 font-medium text-sm">
              {data.isAllowed ? (
                <CircleCheck aria-hidden="true" size={18} className="shrink-0 text-good" />
              ) : (
                <CircleX aria-hidden="true" size={18} className="shrink-0 text-bad" />
              )}
              {data.isAllowed
                ? `${words.conditions.passes} ${words.conditions.passesBy[data.by]}.`
                : `${words.conditions.fails}.`}
            </p>
            {data.conditions.length === 0 ? undefined : <ConditionFindings cid={cid} verdict={data} />}
          </div>
        )}
      </div>
      {error === null || isAborted(error) ? undefined : <ErrorState error={error} />}
    </section>
  )
}
