import { useRef } from 'react'
import { Button } from '../ui/Button.tsx'
import type { PathFile } from './path-file.ts'

/** A button that asks for files, or for a folder with all its files. */
export function ChooseButton({
  label,
  kind,
  name,
  className,
  onChoose,
}: {
  label: string
  /** One file, several files, or a folder. */
  kind: 'file' | 'files' | 'folder'
  /** What is chosen, for tests and programs. */
  name: string
  className?: string
  onChoose: (files: readonly PathFile[]) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button size="small" className={className} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        data-resume={name}
        multiple={kind === 'files'}
        {...(kind === 'folder' ? { webkitdirectory: '' } : {})}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }))
          target.value = ''
          if (files.length > 0) onChoose(files)
        }}
      />
    </>
  )
}
