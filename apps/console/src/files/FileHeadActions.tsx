import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight, Ellipsis, FolderInput, Maximize2, Minimize2, UserPlus } from '#icons'
import type { FileInfo } from '../content/use-file-info.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { ButtonMenu, type MenuItem } from '../ui/Menu.tsx'
import { useFileTools } from './file-tools.ts'
import { withoutFile } from './files-search.ts'
import type { useFullScreen } from './use-full-screen.ts'
import type { Siblings } from './use-siblings.ts'

/** The actions for an open file, and the links to its neighbours. On a phone they have a line of their own. */
export function FileHeadActions({
  info,
  siblings: { at, count, back, next },
  fullScreen: { isFull, toggle },
}: {
  /** Undefined for a path in a folder, and until it is known. */
  info: FileInfo | undefined
  /** `at` is undefined if there are none. */
  siblings: Siblings
  fullScreen: ReturnType<typeof useFullScreen>
}) {
  return (
    <div className="flex items-center max-sm:order-last max-sm:w-full sm:-mr-2">
      {/* What others shared, its owner shares: such a file is not in the list. */}
      {info === undefined || (info.encryption && at === undefined) ? (
        <span className="flex-1" />
      ) : (
        <FileActions info={info} onGone={next ?? back} />
      )}
      {at === undefined ? undefined : (
        <>
          {/* Not `disabled`: at the end of the list the button keeps the focus. */}
          <p role="status" className="sr-only">
            {messages.preview.place(at, count)}
          </p>
          <IconButton
            icon={ChevronLeft}
            label={messages.preview.previous}
            aria-keyshortcuts="ArrowLeft"
            aria-disabled={back === undefined}
            className={back === undefined ? 'opacity-50' : ''}
            onClick={back}
          />
          <IconButton
            icon={ChevronRight}
            label={messages.preview.next}
            aria-keyshortcuts="ArrowRight"
            aria-disabled={next === undefined}
            className={next === undefined ? 'opacity-50' : ''}
            onClick={next}
          />
        </>
      )}
      <IconButton
        icon={isFull ? Minimize2 : Maximize2}
        label={isFull ? messages.preview.leaveFullScreen : messages.preview.fullScreen}
        onClick={toggle}
      />
    </div>
  )
}

/** What the head and the tabs of an open file show as well. */
const shownElsewhere = new Set(['details', 'share', 'move'])

function FileActions({
  info: { cid, encryption: isEncrypted, fileName },
  onGone,
}: {
  info: FileInfo
  /** Shows another file after this one was deleted; undefined if there is none. */
  onGone: (() => void) | undefined
}) {
  const navigate = useNavigate()
  const search = useSearch({ from: '/files' })
  const tools = useFileTools()
  const move = tools?.moverOf(cid)
  const leave = onGone ?? (() => void navigate({ to: '/files', search: withoutFile(search) }))
  const readMenu = (): readonly MenuItem[] =>
    (tools?.menuOf(cid) ?? [])
      .filter(({ id }) => !shownElsewhere.has(id))
      .map((item) => {
        if (item.isDanger !== true) return item
        const run = () => {
          leave()
          item.run()
        }
        return { ...item, run }
      })
  // Content that is not encrypted is shared with the links on the tab; only encrypted content has a dialog.
  const share = () =>
    void navigate({
      to: '/files/$cid',
      params: { cid },
      search: (before) => ({ ...before, tab: 'access', ...(isEncrypted ? { share: true } : {}) }),
      replace: true,
    })
  return (
    <div className="flex items-center gap-1 max-sm:flex-1 sm:mr-1">
      {/* On the smallest phones, the buttons beside it need its room. */}
      <Button size="small" title={messages.files.share} className="max-[23rem]:min-w-11" onClick={share}>
        <UserPlus aria-hidden="true" size={16} />
        <span className="max-[23rem]:sr-only">{messages.files.share}</span>
      </Button>
      {move === undefined ? undefined : (
        <>
          <IconButton icon={FolderInput} label={messages.drive.move} onClick={move} />
          <ButtonMenu items={readMenu} label={messages.files.actionsFor(markControls(fileName))}>
            <IconButton icon={Ellipsis} label={messages.files.actionsFor(markControls(fileName))} />
          </ButtonMenu>
        </>
      )}
    </div>
  )
}
