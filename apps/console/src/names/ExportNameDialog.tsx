import { exportName, exportNameKey, importNameKey, type NameState } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Download } from '#icons'
import { saveText } from '../browser/save-text.ts'
import { messages } from '../messages/messages.ts'
import { getSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { Segments } from '../ui/forms/Segments.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { findDeviceName } from './device-names.ts'
import { labelOf } from './label-of.ts'

const formats = ['pem', 'libp2p'] as const

/** Exports the key of a name from the service, after an explanation. The key exists in this dialog only. */
export function ExportNameDialog({ name, onClose }: { name: NameState; onClose: () => void }) {
  const client = useClient()
  const [format, setFormat] = useState<(typeof formats)[number]>('pem')
  const exportKey = useMutation({
    mutationFn: async () => {
      const address = getSession()?.address
      const own = address === undefined ? undefined : await findDeviceName(address, name.name)
      if (own === undefined) return exportName(client, name.name, { format })
      return { format, key: await exportNameKey(await importNameKey(own.key), format) }
    },
    onError: (failure) => toastError(messages.names.exportFailed, failure),
    gcTime: 0,
  })
  const key = exportKey.data?.format === format ? exportKey.data.key : undefined
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={messages.names.exportTitle(labelOf(name))}
      hint={name.keyHeld === 'service' ? messages.names.exportHint : messages.names.exportHintDevice}
      footer={
        key === undefined ? (
          <>
            <Button onClick={onClose}>{messages.shell.cancel}</Button>
            <Button kind="primary" isBusy={exportKey.isPending} onClick={() => exportKey.mutate()}>
              {messages.names.exportShow}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>{messages.shell.close}</Button>
            <Button kind="primary" onClick={() => saveText(`${name.label ?? name.name}.${extensionOf(format)}`, key)}>
              <Download aria-hidden="true" size={16} />
              {messages.names.exportDownload}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Segments
          label={messages.names.exportFormat}
          isLabelShown
          value={format}
          options={formats.map((value) => ({ value, label: messages.names.exportFormats[value] }))}
          onChange={setFormat}
        />
        {key === undefined ? undefined : (
          <div className="flex items-start gap-2 rounded-lg border border-line bg-sunken p-3">
            <pre className="min-w-0 flex-1 whitespace-pre-wrap break-all font-mono text-sm">{key}</pre>
            <CopyButton text={key} />
          </div>
        )}
      </div>
    </Modal>
  )
}

function extensionOf(format: (typeof formats)[number]): string {
  return format === 'pem' ? 'pem' : 'key.txt'
}
