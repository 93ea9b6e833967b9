import { compareBytes } from '../../content/compare-bytes.ts'
import { checksumKindOf } from '../objects/object-info.ts'
import { type S3Call, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { type MarkerRow, nullVersionId, type ObjectRow, selectMarker, selectObject, versionIdOf } from '../store.ts'
import { isoTime, ownerXml } from '../xml/elements.ts'
import { successorOf } from './key-order.ts'
import { asksForCid, openList } from './open-list.ts'
import { selectVersions, type VersionCursor, type VersionRow } from './select-versions.ts'

/** Rows per query: few with a delimiter, because each row may start a common prefix that is skipped. */
const fewRows = 8
const manyRows = 1000

/**
 * Lists every stored version and delete marker, the newest of each key first. Each common prefix costs one lookup, regardless of its
 * number of keys.
 */
export const listVersionsOperation: S3Operation = async (call) => {
  const { prefix, delimiter, limit, encode } = await openList(call)
  const { request, caller, context, signal } = call
  const keyMarker = request.query.get('key-marker') ?? ''
  const idMarker = request.query.get('version-id-marker') ?? ''
  if (idMarker !== '' && keyMarker === '') {
    throw s3Error('InvalidArgument', 'A version-id marker cannot be specified without a key marker.')
  }
  const versions: VersionRow[] = []
  const prefixes: string[] = []
  let cursor: VersionCursor = { key: keyMarker, versionId: await resolveMarker(call, keyMarker, idMarker) }
  let last = { key: keyMarker, versionId: idMarker }
  let isTruncated = false
  let rowLimit = delimiter === '' ? limit + 1 : fewRows
  listing: while (limit > 0) {
    signal.throwIfAborted()
    const rows = await selectVersions(context.db.read, request.bucket, prefix, cursor, rowLimit)
    let skipped: string | undefined
    for (const version of rows) {
      const { row } = version
      if (skipped !== undefined && row.key.startsWith(skipped)) continue
      cursor = { key: row.key, versionId: row.version_id }
      const at = delimiter === '' ? -1 : row.key.indexOf(delimiter, prefix.length)
      const common = at === -1 ? undefined : row.key.slice(0, at + delimiter.length)
      skipped = common
      if (common !== undefined && compareBytes(common, keyMarker) <= 0) continue
      if (versions.length + prefixes.length === limit) {
        isTruncated = true
        break listing
      }
      if (common !== undefined) prefixes.push(common)
      else versions.push(version)
      last = common === undefined ? { key: row.key, versionId: row.version_id } : { key: common, versionId: '' }
    }
    if (rows.length < rowLimit) break
    if (skipped === undefined) rowLimit = Math.min(manyRows, rowLimit * 4)
    else {
      const behind = successorOf(skipped)
      if (behind === undefined) break
      cursor = { from: behind }
      rowLimit = fewRows
    }
  }
  const showsCid = asksForCid(request)
  const describeVersion = (row: ObjectRow | MarkerRow, isLatest: boolean) => ({
    Key: encode(row.key),
    VersionId: versionIdOf(row),
    IsLatest: isLatest,
    LastModified: isoTime(row.created_at),
    Owner: ownerXml(caller.address),
  })
  return xmlAnswer('ListVersionsResult', {
    Name: request.bucket,
    Prefix: encode(prefix),
    KeyMarker: encode(keyMarker),
    VersionIdMarker: idMarker,
    NextKeyMarker: isTruncated ? encode(last.key) : undefined,
    NextVersionIdMarker: isTruncated && last.versionId !== '' ? last.versionId : undefined,
    MaxKeys: limit,
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    EncodingType: request.query.get('encoding-type'),
    IsTruncated: isTruncated,
    Version: versions.flatMap((version) => {
      if (version.kind === 'marker') return []
      const { row } = version
      return [
        {
          ...describeVersion(row, row.is_latest === 1),
          ETag: `"${row.etag}"`,
          ...describeChecksum(row),
          Size: row.size_bytes,
          StorageClass: 'STANDARD',
          CID: showsCid ? row.cid : undefined,
        },
      ]
    }),
    DeleteMarker: versions.flatMap((version) =>
      version.kind === 'marker' ? [describeVersion(version.row, version.isLatest)] : [],
    ),
    CommonPrefixes: prefixes.map((one) => ({ Prefix: encode(one) })),
  })
}

/** Returns the id by which the version `null` is ordered. Other ids are those by which versions are ordered. */
async function resolveMarker({ context, request }: S3Call, key: string, versionId: string): Promise<string> {
  if (versionId !== nullVersionId) return versionId
  const { read } = context.db
  const found =
    (await selectObject(read, request.bucket, key, nullVersionId)) ??
    (await selectMarker(read, request.bucket, key, nullVersionId))
  return found?.version_id ?? versionId
}

function describeChecksum(row: ObjectRow): Record<string, string> {
  const checksum = checksumKindOf(row)
  return checksum === undefined ? {} : { ChecksumAlgorithm: checksum.algorithm, ChecksumType: checksum.type }
}
