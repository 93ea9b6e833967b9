import { useState } from 'react'
import { messages } from '../../messages/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import type { PasswordRequest } from './open-pdf.ts'

/** Asks for the password of a PDF. It opens the file in this browser, and is neither sent nor kept. */
export function PdfPassword({ request }: { request: PasswordRequest }) {
  const [password, setPassword] = useState('')
  const [answered, setAnswered] = useState<PasswordRequest>()
  const [wasTried, setTried] = useState(false)
  // A wrong answer brings another request.
  const isBusy = answered === request
  const failure =
    wasTried && password === ''
      ? messages.preview.pdfPasswordEmpty
      : request.isWrong && !isBusy
        ? messages.preview.pdfPasswordWrong
        : undefined
  return (
    <form
      className="mx-auto flex w-full max-w-sm flex-col gap-3 rounded-lg bg-sunken px-4 py-8"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (isBusy || password === '') return
        setAnswered(request)
        request.answer(password)
      }}
    >
      <TextField
        type="password"
        label={messages.preview.pdfPassword}
        hint={messages.preview.pdfPasswordHint}
        value={password}
        error={failure}
        onChange={({ target }) => setPassword(target.value)}
      />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {messages.preview.pdfPasswordOpen}
      </Button>
    </form>
  )
}
