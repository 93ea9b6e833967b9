import { useEffect, useState } from 'react'
import { messages } from '../../messages/messages.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/TextField.tsx'

/** Asks for the password of a PDF. It opens the file in this browser, and is neither sent nor kept. */
export function PdfPassword({ isWrong, answer }: { isWrong: boolean; answer: (password: string) => void }) {
  const [password, setPassword] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [wasTried, setTried] = useState(false)
  // Each answer that is wrong brings another request.
  useEffect(() => {
    if (answer !== undefined) setBusy(false)
  }, [answer])
  const failure =
    wasTried && password === ''
      ? messages.preview.pdfPasswordEmpty
      : isWrong && !isBusy
        ? messages.preview.pdfPasswordWrong
        : undefined
  return (
    <form
      className="mx-auto flex w-full max-w-sm flex-col gap-3 rounded-lg bg-sunken px-4 py-8"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (isBusy || password === '') return
        setBusy(true)
        answer(password)
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
