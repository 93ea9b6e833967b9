import type { Drive } from '@cairn/sdk'
import { useMemo } from 'react'
import { isKnownFolder } from '../content/use-is-folder.ts'
import { isDriveFolder } from '../files/listed-file.ts'
import type { RowDrag } from '../files/row-drag.ts'
import { gatewayUrl } from '../network/gateway-url.ts'
import { useNetwork } from '../network/use-network.ts'
import { isDraggingItems, offerDownload, readDragged, writeDragged } from './dragged.ts'
import type { ItemDialog } from './use-item-actions.ts'

/** Drags items into folders of the list, and a single public file out of the window. */
export function useItemDrag(
  drive: Drive,
  onMove: (ids: readonly string[], folderId: string) => void,
  onDialog: (dialog: ItemDialog) => void,
): RowDrag {
  const network = useNetwork()
  return useMemo(
    () => ({
      onStart: (data, dragged) => {
        writeDragged(
          data,
          dragged.map(({ id }) => id),
        )
        const [only] = dragged
        if (dragged.length === 1 && only !== undefined && only.cid !== '' && !only.encryption && !only.private) {
          const { cid, fileName } = only
          offerDownload(data, fileName, gatewayUrl(network, cid, { download: true, filename: fileName }))
        }
      },
      canDrop: isDraggingItems,
      resultOf: (file) => (isDriveFolder(file) ? 'into' : isKnownFolder(file.cid) ? 'refused' : undefined),
      onDrop: (data, target) => {
        const dragged = readDragged(data)
        if (isDriveFolder(target)) onMove(dragged, target.id)
        else {
          const moved = dragged.flatMap((id) => drive.get(id) ?? [])
          onDialog({ kind: 'move', items: moved, refusedBy: target.fileName })
        }
      },
    }),
    [network, drive, onMove, onDialog],
  )
}
