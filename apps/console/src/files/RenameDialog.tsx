import type { FileEntry } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { joinSentences } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { toCairnError } from '../network/query-client.ts'
import { useClient } from '../session/use-client.ts'
import { FormDialog } from '../ui/FormDialog.tsx'
import { TextField } from '../ui/TextField.tsx'
import { renameInLists } from './change-files.ts'

/** Renames a file in lists. */
export function RenameDialog({ file, onClose }: { file: FileEntry; onClose: () => void }) {
  const client = useClient()
  const [name, setName] = useState(file.fileName)
  const [fault, setFault] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => selectStem(input.current), [])
  const rename = useMutation({
    mutationFn: (fileName: string) => renameInLists(client, file, fileName),
    onSuccess: onClose,
    onError: (error) => {
      const { message, hint } = toCairnError(error)
      setFault(joinSentences(message, hint))
    },
  })
  const submit = () => {
    const wanted = name.trim()
    if (wanted === '') setFault(messages.files.renameEmpty)
    else if (wanted === file.fileName) onClose()
    else rename.mutate(wanted)
  }
  return (
    <FormDialog
      onClose={onClose}
      title={messages.files.renameTitle}
      submitLabel={messages.files.renameSave}
      isBusy={rename.isPending}
      onSubmit={submit}
    >
      <TextField
        ref={input}
        label={messages.files.renameLabel}
        hint={messages.files.renameHint}
        value={name}
        error={fault}
        maxLength={1024}
        onChange={({ target }) => {
          setName(target.value)
          setFault(undefined)
        }}
      />
    </FormDialog>
  )
}

/** Users change the name without its extension. */
function selectStem(input: HTMLInputElement | null): void {
  if (input === null) return
  input.focus()
  const dot = input.value.lastIndexOf('.')
  input.setSelectionRange(0, dot > 0 ? dot : input.value.length)
}
