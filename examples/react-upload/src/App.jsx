import { CairnProvider, useFiles, useUpload } from '@cairn/react'

function Files() {
  const { upload, progress, error } = useUpload()
  const { files } = useFiles()
  return (
    <>
      <input type="file" aria-label="File" onChange={({ target }) => target.files?.[0] && upload(target.files[0])} />
      <p>{error?.message ?? (progress && `${progress.bytes} of ${progress.total} bytes`)}</p>
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

export const App = ({ network, apiKey }) => (
  <CairnProvider network={network} apiKey={apiKey}>
    <Files />
  </CairnProvider>
)
