import { listFilesPage } from '@cairn/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { plainSizeText } from '../../content/plain-size.ts'
import { nameOf } from '../../content/use-file-info.ts'
import { listAll, narrowRows } from '../../drive/list-items.ts'
import { filesByCid } from '../../drive-index/own-files.ts'
import { useDriveQuery, useDriveVersion, useHasDrive } from '../../drive-index/use-drive.ts'
import { fileIcon } from '../../files/file-icon.ts'
import { isDriveFolder } from '../../files/listed-file.ts'
import { useSession } from '../../session/session-store.ts'
import { useClient } from '../../session/use-client.ts'
import { searchDelayMs } from '../search-delay.ts'
import type { Command } from './use-commands.ts'

const maxFiles = 8
const maxRecent = 4

/** A file, or a command, that the palette offers. */
export type FileEntry = Command & { detail?: string }

/**
 * Returns the files of the drive whose names match, or those that the service finds, or the newest ones. Earlier results stay
 * during a search. The first palette of a page opens the drive, so `folders` is `loading` at first.
 */
export function useFoundFiles(typed: string): {
  files: readonly FileEntry[]
  isSearching: boolean
  folders: 'open' | 'loading' | 'failed'
} {
  const client = useClient()
  const navigate = useNavigate()
  const address = useSession()?.address
  const [search, setSearch] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), searchDelayMs)
    return () => clearTimeout(timer)
  }, [typed])
  const isEnabled = useHasDrive() && address !== undefined
  const { data: shown, error } = useDriveQuery({ isEnabled })
  // Names in the drive are encrypted: the service only searches those of uploads.
  const drive = shown?.drive.known === undefined ? undefined : shown.drive
  const canFind = drive?.isListed === true
  const version = useDriveVersion(shown)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive changes with its version.
  const inFolders = useMemo(
    () => (canFind && search !== '' ? narrowRows(listAll(drive, {}), '/', { q: search }, undefined) : undefined),
    [drive, canFind, version, search],
  )
  const { data, isFetching } = useQuery({
    queryKey: ['files', address, 'palette', search],
    queryFn: ({ signal }) =>
      listFilesPage(client, search === '' ? { limit: maxRecent } : { search, limit: maxFiles }, { signal }),
    placeholderData: keepPreviousData,
    enabled: address !== undefined && inFolders === undefined,
  })
  const own = drive === undefined || inFolders !== undefined ? undefined : filesByCid(drive, version)
  const isSearching = isFetching || search !== typed
  // Uploads with the same content are one file of the drive.
  const listed = new Set<string>()
  const found =
    inFolders?.filter((row) => !isDriveFolder(row)).slice(0, maxFiles) ??
    (data?.fileList ?? []).flatMap((file) => {
      const item = own?.get(file.cid)
      if (item !== undefined) {
        // An earlier version is not a file of its own.
        if (item.cid !== file.cid || listed.has(item.id)) return []
        listed.add(item.id)
        return { ...file, fileName: item.name }
      }
      // An upload that the drive knows but does not list is in the trash.
      return drive?.uploads.some(({ cid }) => cid === file.cid) === true ? [] : file
    })
  const files = found
    // Keeps earlier results that still match.
    .filter((file) => !isSearching || `${nameOf(file)} ${file.cid}`.toLowerCase().includes(typed.toLowerCase()))
    .map((file) => ({
      id: file.id,
      label: nameOf(file),
      detail: plainSizeText([file]),
      icon: fileIcon(file),
      run: () => void navigate({ to: '/files/$cid', params: { cid: file.cid } }),
    }))
  const isLoading = isEnabled && shown?.drive.isListed !== true
  return { files, isSearching, folders: !isLoading ? 'open' : error === null ? 'loading' : 'failed' }
}
