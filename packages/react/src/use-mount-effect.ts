import { useEffect, useLayoutEffect } from 'react'

/** An effect that runs before the passive effects of children. React 18 warns about layout effects on a server. */
export const useMountEffect = typeof window === 'undefined' ? useEffect : useLayoutEffect
