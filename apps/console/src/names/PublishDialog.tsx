import { maxNameValueCharacters } from '@cairn/protocol'
import { CairnError, type NameState } from '@cairn/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { describeError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'
import { useClient } from '../session/use-client.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { Segments } from '../ui/forms/Segments.tsx'
import { fieldClass, TextField } from '../ui/forms/TextField.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { FilePicker } from './FilePicker.tsx'
import { labelOf } from './label-of.ts'
import { type Lifetime, lifetimes, lifetimesMs, type Ttl, ttls, ttlsMs } from './publish-times.ts'
import { publishTo } from './publish-to.ts'

/** Points a name to a file of the account, or to any CID. */
export function PublishDialog({
  name,
  target = '',
  onClose,
}: {
  name: NameState
  /** The initial target; if empty, the files of the account are offered. */
  target?: string
  onClose: () => void
}) {
  const client = useClient()
  const queries = useQueryClient()
  const [source, setSource] = useState<'recent' | 'other'>(target === '' ? 'recent' : 'other')
  const [picked, setPicked] = useState<string>()
  const [text, setText] = useState(target)
  const [failure, setFailure] = useState<string>()
  const [lifetime, setLifetime] = useState<Lifetime>(
    // A record signed here is not renewed automatically.
    name.keyHeld === 'service' ? 'twoDays' : 'year',
  )
  const [ttl, setTtl] = useState<Ttl>('fiveMinutes')
  const publish = useMutation({
    mutationFn: (value: string) =>
      publishTo(client, name, value, {
        lifetimeMs: lifetimesMs[lifetime],
        ttlMs: Math.min(ttlsMs[ttl], lifetimesMs[lifetime]),
      }),
    onSuccess: () => toastDone(messages.names.published(labelOf(name))),
    onError: (error) => {
      if (CairnError.is(error, 'INVALID_NAME_VALUE')) setFailure(describeError(error).message)
      else toastError(messages.names.publishFailed, error)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['names'] }),
  })
  const value = source === 'recent' ? (picked ?? '') : text.trim()
  return (
    <FormDialog
      onClose={onClose}
      title={messages.names.publishTitle(labelOf(name))}
      hint={messages.names.publishHint}
      submitLabel={publish.isPending ? messages.names.publishing : messages.names.publishGo}
      isBusy={publish.isPending}
      onSubmit={() => {
        if (value === '') setFailure(source === 'recent' ? messages.names.pickOne : messages.names.targetEmpty)
        else publish.mutate(value, { onSuccess: onClose })
      }}
    >
      <Segments
        label={messages.names.what}
        isLabelShown
        value={source}
        options={[
          { value: 'recent', label: messages.names.recent },
          { value: 'other', label: messages.names.other },
        ]}
        onChange={(next) => {
          setSource(next)
          setFailure(undefined)
        }}
      />
      {source === 'recent' ? (
        <>
          <FilePicker
            cid={picked}
            onPick={(cid) => {
              setPicked(cid)
              setFailure(undefined)
            }}
          />
          {failure === undefined ? undefined : (
            <p role="alert" className="text-bad text-sm">
              {failure}
            </p>
          )}
        </>
      ) : (
        <TextField
          label={messages.names.target}
          hint={messages.names.targetHint}
          value={text}
          error={failure}
          maxLength={maxNameValueCharacters}
          spellCheck={false}
          onChange={({ target: { value: next } }) => {
            setText(next)
            setFailure(undefined)
          }}
        />
      )}
      <details className="text-sm">
        <summary className="w-fit cursor-pointer text-ink-soft hover:text-ink">{messages.names.times}</summary>
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          <Select
            label={messages.names.lifetime}
            value={lifetime}
            onChange={(next) => setLifetime(find(lifetimes, next))}
          >
            {lifetimes.map((one) => (
              <option key={one} value={one}>
                {messages.names.lifetimes[one]}
              </option>
            ))}
          </Select>
          <Select label={messages.names.ttl} value={ttl} onChange={(next) => setTtl(find(ttls, next))}>
            {ttls.map((one) => (
              <option key={one} value={one}>
                {messages.names.ttls[one]}
              </option>
            ))}
          </Select>
        </div>
      </details>
    </FormDialog>
  )
}

function find<Value extends string>(all: readonly Value[], wanted: string): Value {
  const found = all.find((one) => one === wanted)
  if (found === undefined) throw new Error(`${wanted} was not offered`)
  return found
}

function Select({
  label,
  value,
  onChange,
  children,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <select
        id={id}
        value={value}
        className={`${fieldClass} h-10 pointer-coarse:h-11`}
        onChange={({ target }) => onChange(target.value)}
      >
        {children}
      </select>
    </div>
  )
}
