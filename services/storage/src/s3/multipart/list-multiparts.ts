import { compareBytes } from '../../content/compare-bytes.ts'
import { openList } from '../listings/open-list.ts'
import { type S3Operation, xmlAnswer } from '../s3-call.ts'
import { isoTime, ownerXml } from '../xml/elements.ts'
import { listMultiparts, type Multipart } from './parts.ts'

/** Reads all unfinished uploads of the bucket, because their number is limited. */
export const listMultipartsOperation: S3Operation = async (call) => {
  const { prefix, delimiter, limit, encode } = await openList(call, 'max-uploads')
  const { request, caller, context } = call
  const keyMarker = request.query.get('key-marker') ?? ''
  const idMarker = request.query.get('upload-id-marker') ?? ''
  const entries = foldUploads(await listMultiparts(context.db.read, request.bucket), prefix, delimiter).filter(
    ({ name, upload }) =>
      compareBytes(name, keyMarker) > 0 ||
      (name === keyMarker && idMarker !== '' && upload !== undefined && upload.id > idMarker),
  )
  const listed = entries.slice(0, limit)
  const last = listed.at(-1)
  return xmlAnswer('ListMultipartUploadsResult', {
    Bucket: request.bucket,
    KeyMarker: encode(keyMarker),
    UploadIdMarker: idMarker,
    NextKeyMarker: last === undefined ? undefined : encode(last.name),
    NextUploadIdMarker: last?.upload?.id,
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    EncodingType: request.query.get('encoding-type'),
    MaxUploads: limit,
    IsTruncated: limit > 0 && listed.length < entries.length,
    Upload: listed.flatMap(({ upload }) =>
      upload === undefined
        ? []
        : [
            {
              Key: encode(upload.key),
              UploadId: upload.id,
              Initiator: ownerXml(caller.address),
              Owner: ownerXml(caller.address),
              StorageClass: 'STANDARD',
              Initiated: isoTime(upload.created_at),
              ChecksumAlgorithm: upload.checksum_algorithm ?? undefined,
              ChecksumType: upload.checksum_type ?? undefined,
            },
          ],
    ),
    CommonPrefixes: listed.flatMap(({ name, upload }) => (upload === undefined ? [{ Prefix: encode(name) }] : [])),
  })
}

/** Groups uploads by key; those with a delimiter become one entry without an upload. */
function foldUploads(uploads: readonly Multipart[], prefix: string, delimiter: string) {
  const entries: { name: string; upload: Multipart | undefined }[] = []
  for (const upload of uploads) {
    if (!upload.key.startsWith(prefix)) continue
    const at = delimiter === '' ? -1 : upload.key.indexOf(delimiter, prefix.length)
    const name = at === -1 ? upload.key : upload.key.slice(0, at + delimiter.length)
    if (at === -1) entries.push({ name, upload })
    else if (entries.at(-1)?.name !== name) entries.push({ name, upload: undefined })
  }
  return entries
}
