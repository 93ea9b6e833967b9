import type { Drive, DriveItem } from '@cairn/sdk'
import type { Placement } from '../upload/upload-place.ts'
import type { Misplaced } from './place-items.ts'

/**
 * Returns the uploads that do not appear in the root although they were meant for it, because the drive has their content
 * elsewhere or in the trash. An upload that the drive does not list yet is new and will appear by itself.
 */
export function findHiddenUploads<Upload extends Pick<Placement, 'cid' | 'name'>>(
  drive: Pick<Drive, 'find' | 'all' | 'uploads'>,
  uploads: readonly Upload[],
): { elsewhere: Misplaced['elsewhere']; inTrash: Upload[] } {
  const lost = uploads.filter(({ cid, name }) => !cidsOf(drive.find(`/${name}`)).includes(cid))
  if (lost.length === 0) return { elsewhere: [], inTrash: [] }
  const paths = new Map(drive.all().flatMap((item) => cidsOf(item).map((cid) => [cid, item.path] as const)))
  const listed = new Set(drive.uploads.map(({ cid }) => cid))
  return {
    elsewhere: lost.flatMap(({ cid, name }) => {
      const path = paths.get(cid)
      return path === undefined ? [] : [{ name, path }]
    }),
    inTrash: lost.filter(({ cid }) => !paths.has(cid) && listed.has(cid)),
  }
}

function cidsOf(item: DriveItem | undefined): readonly string[] {
  return item?.kind === 'file' ? item.versions.map(({ cid }) => cid) : []
}
