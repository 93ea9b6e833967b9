import { useEffect, useState } from 'react'

/** Returns an object URL for bytes with the given type; it is revoked with the component. */
export function useObjectUrl(blob: Blob, type: string): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob, type])
  return url
}
