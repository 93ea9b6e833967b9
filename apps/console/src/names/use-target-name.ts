import { useFileInfo } from '../content/use-file-info.ts'

/** Returns the name of the file that a name points to, such as `/ipfs/bafy…`; undefined if the service knows none. */
export function useTargetName(value: string): string | undefined {
  const cid = /^\/ipfs\/([^/]+)$/.exec(value)?.[1] ?? ''
  const { data } = useFileInfo(cid)
  return data === undefined || data.fileName === '' ? undefined : data.fileName
}
