import { readSmallBody } from '../read-body.ts'
import { authorize, emptyAnswer, type S3Call, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { updateBucket } from '../store.ts'
import { readXml } from '../xml/read-xml.ts'
import type { XmlRecord } from '../xml/write-xml.ts'
import { readRules } from './read-rules.ts'
import { type LifecycleRule, readLifecycleRules } from './rules.ts'

/** Maximum lifecycle configuration in bytes: a thousand rules with short prefixes. */
const maxLifecycleBytes = 512 * 1024

const minimumSizeHeader = 'x-amz-transition-default-minimum-object-size'
/** S3's default. Nothing transitions here, but Terraform waits until a read returns it. */
const minimumSize = { [minimumSizeHeader]: 'all_storage_classes_128K' }

export const getBucketLifecycle: S3Operation = async (call) => {
  const rules = readLifecycleRules((await authorize(call, 'read')).lifecycle)
  if (rules.length === 0) throw s3Error('NoSuchLifecycleConfiguration')
  return xmlAnswer('LifecycleConfiguration', { Rule: rules.map(describeRule) }, minimumSize)
}

export const putBucketLifecycle: S3Operation = async (call) => {
  await authorize(call, 'write')
  const size = call.request.header(minimumSizeHeader)
  if (size !== undefined && size !== minimumSize[minimumSizeHeader])
    throw s3Error('NotImplemented', `Another ${minimumSizeHeader} is not supported: there is one storage class.`)
  const body = await readSmallBody(call.body, maxLifecycleBytes)
  await setLifecycle(call, JSON.stringify(readRules(readXml(body, 'LifecycleConfiguration'))))
  return emptyAnswer(200, minimumSize)
}

export const deleteBucketLifecycle: S3Operation = async (call) => {
  await authorize(call, 'write')
  await setLifecycle(call, null)
  return emptyAnswer(204)
}

async function setLifecycle({ context, caller, request }: S3Call, lifecycle: string | null): Promise<void> {
  // New rules are applied in the next round, not after the next midnight.
  const change = { lifecycle, lifecycle_applied_at: null }
  await context.db.write((trx) => updateBucket(trx, { address: caller.address, name: request.bucket }, change))
}

function describeRule(rule: LifecycleRule): XmlRecord {
  const { id, isEnabled, days, date, removesMarkers, earlierDays, earlierKept, abortDays } = rule
  const hasExpiration = days !== undefined || date !== undefined || removesMarkers !== undefined
  return {
    ID: id,
    ...(rule.hasFilter ? { Filter: describeFilter(rule) } : { Prefix: rule.prefix }),
    Status: isEnabled ? 'Enabled' : 'Disabled',
    Expiration: hasExpiration
      ? {
          Days: days,
          Date: date === undefined ? undefined : new Date(date).toISOString(),
          ExpiredObjectDeleteMarker: removesMarkers,
        }
      : undefined,
    NoncurrentVersionExpiration:
      earlierDays === undefined ? undefined : { NoncurrentDays: earlierDays, NewerNoncurrentVersions: earlierKept },
    AbortIncompleteMultipartUpload: abortDays === undefined ? undefined : { DaysAfterInitiation: abortDays },
  }
}

function describeFilter({ prefix, tags, largerThan, smallerThan }: LifecycleRule): XmlRecord {
  const conditions = [prefix === '' ? undefined : prefix, ...tags, largerThan, smallerThan]
  const count = conditions.filter((one) => one !== undefined).length
  const filter = {
    Prefix: prefix === '' && count > 0 ? undefined : prefix,
    Tag: tags.map(({ key, value }) => ({ Key: key, Value: value })),
    ObjectSizeGreaterThan: largerThan,
    ObjectSizeLessThan: smallerThan,
  }
  return count > 1 ? { And: filter } : filter
}
