// An app as developers write it: one component for each hook of @cairn/react, which shows the values as JSON.
import {
  CairnProvider,
  type UseFiles,
  type UseName,
  type UsePay,
  type UseShare,
  type UseUpload,
  useBalance,
  useCairn,
  useFiles,
  useName,
  useOpenFile,
  usePay,
  useShare,
  useUpload,
  useUsage,
} from '@cairn/react'
import type { KeySession, NetworkProfile } from '@cairn/sdk'
import { createElement as h, type ReactElement, StrictMode, useEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'

/** The network and the user. */
export type Provided = { network: NetworkProfile | string; apiKey?: string; keySession?: KeySession | undefined }

/** What is on the page; absent parts are not mounted. */
export type Shown = {
  upload?: { encrypted: boolean }
  /** Its child uploads automatically, once for each account. */
  saved?: { name: string }
  files?: { limit: number; search?: string }
  account?: Record<string, never>
  share?: { cid: string }
  open?: { content: string; maxBytes?: number; encrypted?: boolean }
  name?: { name: string }
  pay?: Record<string, never>
}

/** The actions of the mounted components. */
type Actions = {
  retry?: () => void
  upload?: UseUpload
  files?: UseFiles
  share?: UseShare
  name?: UseName
  pay?: UsePay
}

const actions: Actions = {}
const paySteps: string[] = []
let renderCount = 0
let root: Root | undefined
let onCommit: () => void = () => undefined

/** How tests drive the page. */
const app = {
  actions,
  paySteps,
  renderCount: () => renderCount,
  /** Resolves when the page shows it and its effects have run. */
  render(provider: Provided, shown: Shown): Promise<void> {
    root ??= createRoot(document.body.appendChild(document.createElement('main')))
    const committed = new Promise<void>((done) => {
      onCommit = done
    })
    root.render(h(App, { provider, shown }))
    return committed
  },
  unmount() {
    root?.unmount()
    root = undefined
  },
}

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface extends the global one.
  interface Window {
    app: typeof app
  }
}
window.app = app

function App({ provider, shown }: { provider: Provided; shown: Shown }): ReactElement {
  const { upload, saved, files, account, share, open, name, pay } = shown
  useEffect(() => onCommit())
  return h(
    StrictMode,
    null,
    h(
      CairnProvider,
      provider,
      h(Status),
      upload && h(Upload, upload),
      saved && h(Saved, saved),
      files && h(Files, files),
      account && h(Account),
      share && h(Share, share),
      open && h(Open, open),
      name && h(Name, name),
      pay && h(Pay),
    ),
  )
}

function show(id: string, value: object): ReactElement {
  renderCount++
  return h('output', { id }, JSON.stringify(value))
}

function Status(): ReactElement {
  const { client, error, retry } = useCairn()
  actions.retry = retry
  return show('status', { network: client?.network.name, code: error?.code })
}

function Upload({ encrypted }: { encrypted: boolean }): ReactElement {
  const upload = useUpload({ encrypted })
  actions.upload = upload
  const { status, data, error, progress } = upload
  return show('upload', { status, cid: data?.cid, code: error?.code, progress })
}

function Saved({ name }: { name: string }): ReactElement {
  const { upload, data } = useUpload()
  return h('p', null, show('saved', { cid: data?.cid }), h(SaveOnChange, { upload, name }))
}

function SaveOnChange({ upload, name }: { upload: UseUpload['upload']; name: string }): null {
  useEffect(() => void upload(new Blob([name]), { name }), [upload, name])
  return null
}

function Files(filter: { limit: number; search?: string }): ReactElement {
  const listing = useFiles(filter)
  actions.files = listing
  const { files, isLoading, hasMore, totalFiles, error } = listing
  return show('files', {
    names: files.map(({ fileName }) => fileName),
    isLoading,
    hasMore,
    totalFiles,
    code: error?.code,
  })
}

function Account(): ReactElement {
  const balance = useBalance()
  const usage = useUsage()
  return show('account', {
    boughtBytes: balance.data?.boughtBytes,
    usedBytes: usage.data?.usedBytes,
    code: balance.error?.code,
  })
}

function Share({ cid }: { cid: string }): ReactElement {
  const share = useShare(cid)
  actions.share = share
  const { owner, sharedTo, error, changeError } = share
  return show('share', { owner, sharedTo, code: error?.code, changeCode: changeError?.code })
}

type OpenProps = { content: string; maxBytes?: number; encrypted?: boolean }

function Open({ content, ...settings }: OpenProps): ReactElement {
  const { url, blob, isLoading, error } = useOpenFile(content, { mimeType: 'text/plain', ...settings })
  return show('open', { url, sizeBytes: blob?.size, type: blob?.type, isLoading, code: error?.code })
}

function Name({ name }: { name: string }): ReactElement {
  const state = useName(name)
  actions.name = state
  const { resolved, error, publishError } = state
  return show('name', { cid: resolved?.cid, code: error?.code, publishCode: publishError?.code })
}

function Pay(): ReactElement {
  const payment = usePay({ onEvent: ({ step }) => paySteps.push(step) })
  actions.pay = payment
  const { status, data, error, event } = payment
  const states = data?.payments.map(({ state }) => state)
  return show('pay', { status, step: event?.step, states, code: error?.code })
}
