import { useEffect, useState } from 'react'
import { Check, Copy } from '#icons'
import { messages } from '../../messages/messages.ts'
import { IconButton } from '../IconButton.tsx'
import { copyText } from './copy-text.ts'

const shownMs = 1500

/** Copies a text, and confirms it. */
export function CopyButton({
  text,
  label = messages.shell.copy,
  size = 'normal',
  isFirst = false,
}: {
  text: string
  label?: string
  size?: 'small' | 'normal'
  /** Has the focus first in a dialog. */
  isFirst?: boolean
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
        {...(isFirst ? { 'data-first-focus': true } : {})}
        onClick={async (event) => {
          event.stopPropagation()
          if (await copyText(text)) setCopied(true)
        }}
      />
      <span role="status" className="sr-only">
        {copied ? messages.shell.copied : ''}
      </span>
    </>
  )
}
