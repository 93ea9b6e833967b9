import { Link } from '@tanstack/react-router'
import { markControls } from '../messages/mark-controls.ts'
import type { FilesSearch } from './files-search.ts'
import { isDriveFolder, type ListedFile } from './listed-file.ts'

/** A finger needs more than a line of text, however short the name. */
const styles =
  'block truncate font-medium text-sm hover:underline pointer-coarse:-my-1.5 pointer-coarse:min-w-11 pointer-coarse:py-1.5'

/** The name of a row: opens a folder of the drive in place, and everything else over the list. */
export function FileLink({ file, search }: { file: ListedFile; search: FilesSearch }) {
  const { id, cid, fileName } = file
  const name = markControls(fileName)
  const text = <bdi>{name}</bdi>
  return isDriveFolder(file) ? (
    <Link to="/files" search={intoFolder(search, id)} title={name} draggable={false} className={styles}>
      {text}
    </Link>
  ) : (
    <Link to="/files/$cid" params={{ cid }} search={search} title={name} draggable={false} className={styles}>
      {text}
    </Link>
  )
}

/** Returns the address of a folder: a search ends where a folder is opened. */
export function intoFolder({ sort, order, view }: FilesSearch, folder: string | undefined): FilesSearch {
  return { sort, order, view, folder: folder === '' ? undefined : folder }
}
