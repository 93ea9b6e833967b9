import { Suspense, useEffect, useState } from 'react'
import { Upload } from '#icons'
import { numberName } from '../content/number-name.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { isAborted } from '../session/is-aborted.ts'
import { getSession, useSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { getSettings, useSettings } from '../theme/settings.ts'
import { showTransfers } from '../transfers/panel-store.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { Segments } from '../ui/forms/Segments.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { AccessChoice } from './AccessChoice.tsx'
import { ChosenFiles } from './ChosenFiles.tsx'
import { ClashChoiceField } from './ClashChoiceField.tsx'
import { FolderChoice } from './FolderChoice.tsx'
import { maxKeptUploads } from './kept-uploads.ts'
import { type ClashChoice, findClashes, resolveClashes } from './name-clashes.ts'
import { startUploads } from './start-uploads.ts'
import { TextPart } from './TextPart.tsx'
import { UploadQuote, useQuote } from './UploadQuote.tsx'
import {
  countEmptyFolders,
  countFiles,
  findNameProblem,
  findNameProblems,
  splitFolders,
  toTextItem,
  totalBytes,
  type UploadItem,
} from './upload-item.ts'
import { useUploadPlace } from './upload-place.ts'
import { changeUploadSheet, dropFromUploadSheet, useUploadSheet } from './upload-sheet-store.ts'
import { uploadWhenPaid, useUploadWaits } from './upload-when-paid.ts'
import { useNameTaken } from './use-name-taken.ts'

/** Payment code loads only when storage runs out. */
const UploadPayment = lazyPart(async () => (await import('./UploadPayment.tsx')).UploadPayment)

/** One sheet for files, folders, text and pasted content: content, access, cost, start. */
export function UploadSheet({ onClose }: { onClose: () => void }) {
  const { isOpen } = useUploadSheet()
  const session = useSession()
  return isOpen && session !== undefined ? <Sheet onClose={onClose} /> : undefined
}

function Sheet({ onClose: close }: { onClose: () => void }) {
  const { tab, items, unreadable, text, textName: typedName } = useUploadSheet()
  const network = useNetwork()
  const needKeyClient = useKeyClient()
  const { startsAtOnce } = useSettings()
  // Local to this sheet, so that a choice for one upload or in another tab does not make the next one public.
  const [wanted, setWanted] = useState(getSettings().access)
  // Users who opened the options start the upload themselves.
  const [wasLookedAt, setLookedAt] = useState(false)
  const [isSeparate, setSeparate] = useState(false)
  const [isStarting, setStarting] = useState(false)

  const canEncrypt = network.keyRouter !== undefined || network.keyNodes !== undefined
  const access = wanted === 'encrypted' && !canEncrypt ? 'public' : wanted
  const isEncrypted = access === 'encrypted'
  const [clashChoice, setClashChoice] = useState<ClashChoice>('version')
  const place = useUploadPlace()
  const { isTaken, isPending } = useNameTaken(place)
  // Users who chose no name do not mean the note of before.
  const textName = typedName ?? numberName(messages.upload.textDefault, isTaken)
  const listed = tab === 'text' ? [] : isSeparate ? splitFolders(items) : items
  const clashes = tab === 'text' ? (isTaken(textName.trim()) ? [textName] : []) : namesOf(findClashes(listed, isTaken))
  const chosen = resolveClashes(listed, isTaken, clashChoice)
  /** Separate files cannot contain folders. */
  const leftOut = isSeparate ? countEmptyFolders(items) : 0
  const failures = findNameProblems(listed)
  const made = tab === 'text' ? textItems(text, textName, isTaken, clashChoice) : chosen
  const sizeBytes = totalBytes(made)
  const fileCount = countFiles(made)
  const quote = useQuote(sizeBytes)
  const textFailure = findNameProblem(textName.trim(), 'file')
  const isReady = made.length > 0 && (tab === 'text' ? textFailure === undefined : failures.size === 0)
  const waits = useUploadWaits()

  /** Returns the function that starts the upload of the current items, even if they change later. */
  const prepare = async (): Promise<() => void> => {
    if (isEncrypted) await needKeyClient()
    // With a drive, names with slashes are folders of it, whether or not a page has opened it yet.
    const hasDrive = network.keyRouter !== undefined || (network.keyNodes ?? []).length > 0
    const folderId = hasDrive ? (place?.id ?? '') : undefined
    const taken = new Set(tab === 'text' ? [] : items.map(({ id }) => id))
    return () => {
      startUploads(() => clientOf(network, getSession()), made, access, folderId)
      dropFromUploadSheet(taken)
      if (tab === 'text') changeUploadSheet({ text: '', textName: undefined })
      showTransfers(true)
    }
  }
  const start = async () => {
    if (!isReady || quote.missingBytes > 0) return
    setStarting(true)
    try {
      const begin = await prepare()
      begin()
    } catch (error) {
      if (!isAborted(error)) toastError(messages.upload.notStarted, error)
      setStarting(false)
    }
  }

  const startsAutomatically =
    startsAtOnce &&
    !wasLookedAt &&
    // Does not apply to content that is public only because this network cannot encrypt it.
    wanted === 'public' &&
    tab === 'files' &&
    isReady &&
    unreadable === 0 &&
    !isPending &&
    clashes.length === 0 &&
    items.every(({ kind }) => kind === 'file') &&
    quote.leftBytes !== undefined &&
    quote.missingBytes === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when all that it needs is there.
  useEffect(() => {
    if (startsAutomatically) void start()
  }, [startsAutomatically])

  return (
    <Modal
      isOpen
      onClose={close}
      place="wide"
      title={messages.upload.title}
      hint={place === undefined ? undefined : messages.upload.into(place.path.slice(1))}
      footer={
        <>
          <AccessChoice
            access={access}
            canEncrypt={canEncrypt}
            onChange={(next) => {
              setLookedAt(true)
              setWanted(next)
            }}
          />
          {/* On the smallest phones it would have a line of its own, and the files no room. */}
          <Button onClick={close} className="max-sm:[@media(max-height:40rem)]:hidden">
            {messages.shell.cancel}
          </Button>
          <Button
            kind="primary"
            disabled={!isReady || quote.missingBytes > 0}
            isBusy={isStarting}
            onClick={() => void start()}
          >
            <Upload aria-hidden="true" size={16} />
            {messages.upload.start(fileCount, access)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-6">
        <Segments
          label={messages.upload.kind}
          value={tab}
          options={[
            { value: 'files', label: messages.upload.tabFiles },
            { value: 'text', label: messages.upload.tabText },
          ]}
          onChange={(next) => changeUploadSheet({ tab: next })}
        />
        {tab === 'text' ? (
          <TextPart
            text={text}
            onText={(next) => changeUploadSheet({ text: next })}
            name={textName}
            nameFailure={textFailure}
            onName={(next) => changeUploadSheet({ textName: next })}
          />
        ) : (
          <ChosenFiles
            all={items}
            items={listed.length === 0 ? items : listed}
            failures={failures}
            unreadable={unreadable}
          />
        )}
        {tab === 'files' && items.some(({ kind }) => kind === 'folder') ? (
          <FolderChoice
            isSeparate={isSeparate}
            onChange={setSeparate}
            isEncrypted={isEncrypted}
            leftOut={leftOut}
            isEmpty={listed.length === 0}
          />
        ) : undefined}
        {clashes.length === 0 ? undefined : (
          <ClashChoiceField
            names={clashes}
            value={clashChoice}
            onChange={(next) => {
              setLookedAt(true)
              setClashChoice(next)
            }}
          />
        )}
        {made.length > maxKeptUploads ? (
          <p className="text-sm text-warn">{messages.upload.tooManyToKeep(maxKeptUploads)}</p>
        ) : undefined}
        {sizeBytes > 0 ? <UploadQuote quote={quote} /> : undefined}
        {quote.missingBytes > 0 || waits ? (
          <Suspense fallback={<Skeleton />}>
            <UploadPayment
              missingBytes={quote.missingBytes}
              isDisabled={!isReady}
              onPaying={async () => uploadWhenPaid(await prepare())}
            />
          </Suspense>
        ) : undefined}
      </div>
    </Modal>
  )
}

const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name.trim())

/** Returns the text as what is uploaded; nothing if it is empty or skipped. */
function textItems(text: string, name: string, isTaken: (name: string) => boolean, choice: ClashChoice): UploadItem[] {
  return text === '' ? [] : resolveClashes([toTextItem(text, name.trim())], isTaken, choice)
}
