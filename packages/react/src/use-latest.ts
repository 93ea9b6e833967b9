import { type RefObject, useRef } from 'react'
import { useMountEffect } from './use-mount-effect.ts'

/**
 * Returns a reference to the value of the last render, for callbacks that run later. It is written before the passive
 * effects of children, which may call these.
 */
export function useLatest<T>(value: T): Readonly<RefObject<T>> {
  const latest = useRef(value)
  useMountEffect(() => {
    latest.current = value
  })
  return latest
}
