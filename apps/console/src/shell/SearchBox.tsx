import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { Search, X } from '#icons'
import { maxQueryCharacters, withQuery } from '../files/files-search.ts'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { fieldClass } from '../ui/forms/TextField.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { searchDelayMs } from './search-delay.ts'
import { showOverlay } from './shell-overlay.ts'

const isApple = /^(Mac|iP)/.test(navigator.platform)

/** Searches all files by name or CID, from any page. */
export function SearchBox() {
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const isOnFiles = pathname === '/files' || pathname.startsWith('/files/')
  const wanted = isOnFiles && typeof search.q === 'string' ? search.q : ''
  const [text, setText] = useState(wanted)
  const input = useRef<HTMLInputElement>(null)
  const isTyping = useRef(false)

  // A user who goes elsewhere during the delay no longer wants the search.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is what it is about.
  useEffect(() => {
    isTyping.current = false
  }, [pathname])
  useEffect(() => {
    if (!isTyping.current) setText(wanted)
  }, [wanted])
  useEffect(() => {
    if (!isTyping.current) return
    const timer = setTimeout(() => {
      isTyping.current = false
      void navigate({ to: '/files', search: (before) => withQuery(before, text.trim()), replace: isOnFiles })
    }, searchDelayMs)
    return () => clearTimeout(timer)
  }, [text, navigate, isOnFiles])

  const type = (next: string) => {
    isTyping.current = true
    setText(next)
  }
  // On a phone, two letters fit between the name and the buttons: while it is used, the field covers both.
  return (
    <search className="relative min-w-0 max-w-xl flex-1 max-sm:focus-within:absolute max-sm:focus-within:inset-x-3 max-sm:focus-within:z-10">
      <Search
        aria-hidden="true"
        size={16}
        className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-ink-faint"
      />
      <input
        ref={input}
        id="search"
        type="search"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={messages.shell.search}
        placeholder={messages.shell.search}
        title={messages.shell.searchHint}
        maxLength={maxQueryCharacters}
        value={text}
        onChange={({ target }) => type(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key !== 'Escape') return
          if (text === '') currentTarget.blur()
          else type('')
        }}
        className={classNames(
          fieldClass,
          'h-10 text-ellipsis bg-page pl-9 shadow-none max-[26rem]:not-focus:placeholder:text-transparent [&::-webkit-search-cancel-button]:hidden pointer-coarse:h-11',
          text === '' ? 'pr-2 md:pr-16' : 'pr-10',
        )}
      />
      {text === '' ? (
        // On a phone there is no space next to the field: the bottom bar has the button.
        <button
          type="button"
          onClick={() => showOverlay('palette')}
          className="absolute top-1 right-1 h-8 rounded-md px-2 text-ink-soft text-xs hover:bg-hover max-md:hidden"
        >
          <span className="sr-only">{messages.shell.palette} </span>
          {isApple ? '⌘' : messages.shell.control} K
        </button>
      ) : (
        <IconButton
          icon={X}
          size="small"
          label={messages.shell.clearSearch}
          className="absolute top-1 right-1 pointer-coarse:top-0"
          onClick={() => {
            type('')
            input.current?.focus()
          }}
        />
      )}
    </search>
  )
}
