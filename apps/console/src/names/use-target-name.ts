import type { RefObject } from 'react'
import { useCameInSight } from '../browser/use-came-in-sight.ts'
import { useFileInfo } from '../content/use-file-info.ts'

/**
 * Returns the name of the file that a name points to, such as `/ipfs/bafy…`; undefined if the service knows none.
 * @param element the service is asked once it is in sight, because an account may have a thousand names
 */
export function useTargetName(value: string, element: RefObject<Element | null>): string | undefined {
  const isInSight = useCameInSight(element)
  const cid = isInSight ? (/^\/ipfs\/([^/]+)$/.exec(value)?.[1] ?? '') : ''
  const { data } = useFileInfo(cid)
  return data === undefined || data.fileName === '' ? undefined : data.fileName
}
