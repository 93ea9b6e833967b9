import { useEffect } from 'react'

/** Places the rows of a virtual list again when their height in px changes: the list itself keeps what it computed first. */
export function useRemeasure(virtual: { measure(): void }, height: number): void {
  useEffect(() => {
    if (height > 0) virtual.measure()
  }, [height, virtual])
}
