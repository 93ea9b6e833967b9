import { useFiles, useUpload } from '@cairn/react'

export function Files() {
  const { upload, progress, status, error } = useUpload()
  const { files } = useFiles()
  return (
    <>
      <input type="file" aria-label="File" onChange={({ target }) => target.files?.[0] && upload(target.files[0])} />
      <p>{error?.message ?? (status === 'running' ? `${progress?.bytes ?? 0} bytes` : '')}</p>
      <ul>
        {files.map(({ id, cid, fileName }) => (
          <li key={id}>
            {fileName} {cid}
          </li>
        ))}
      </ul>
    </>
  )
}
