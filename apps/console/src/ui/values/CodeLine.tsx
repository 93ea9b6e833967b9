import { CopyButton } from './CopyButton.tsx'

/** A line to copy into a terminal or a program. */
export function CodeLine({ code, label }: { code: string; label?: string }) {
  return (
    <p className="mt-1.5 flex min-w-0 items-center gap-2 rounded-lg bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 whitespace-pre-wrap break-words font-mono text-xs">{code}</code>
      <CopyButton text={code} size="small" {...(label === undefined ? {} : { label })} />
    </p>
  )
}
