import { useEffect, useState } from 'react'

/** An address of this page's own for bytes, with the type given; it ends with the component. */
export function useObjectUrl(blob: Blob, type: string): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([blob], { type }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob, type])
  return url
}
