import { useEffect, useState } from 'react'
import { Check, Copy } from '#icons'
import { words } from '../words/words.ts'
import { IconButton } from './IconButton.tsx'

const shownMs = 1500

/** Copies a text, and says that it did. */
export function CopyButton({
  text,
  label = words.shell.copy,
  size = 'normal',
}: {
  text: string
  label?: string
  size?: 'small' | 'normal'
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <>
      <IconButton
        icon={copied ? Check : Copy}
        label={label}
        size={size}
        onClick={async (event) => {
          event.stopPropagation()
          await navigator.clipboard.writeText(text)
          setCopied(true)
        }}
      />
      <span role="status" className="sr-only">
        {copied ? words.shell.copied : ''}
      </span>
    </>
  )
}
