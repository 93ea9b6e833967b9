import { readSmallBody } from '../read-body.ts'
import { authorize, emptyAnswer, type S3Call, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { s3Error } from '../s3-error.ts'
import { updateBucket } from '../store.ts'
import { type ReadElement, readXml } from '../xml/read-xml.ts'
import { readCorsRules, requireCorsRules } from './cors.ts'

/** Maximum CORS configuration in bytes, as in S3. */
const maxCorsBytes = 64 * 1024

export const getBucketCors: S3Operation = async (call) => {
  const rules = readCorsRules((await authorize(call, 'read')).cors)
  if (rules.length === 0) throw s3Error('NoSuchCORSConfiguration')
  return xmlAnswer('CORSConfiguration', {
    CORSRule: rules.map((rule) => ({
      ID: rule.id,
      AllowedHeader: rule.headers,
      AllowedMethod: rule.methods,
      AllowedOrigin: rule.origins,
      ExposeHeader: rule.exposed,
      MaxAgeSeconds: rule.maxAgeSeconds,
    })),
  })
}

export const putBucketCors: S3Operation = async (call) => {
  await authorize(call, 'write')
  const document = readXml(await readSmallBody(call.body, maxCorsBytes), 'CORSConfiguration')
  const texts = (rule: ReadElement, name: string) => rule.all(name).map(({ text }) => text.trim())
  const rules = document.all('CORSRule').map((rule) => ({
    id: rule.textOf('ID')?.slice(0, 255),
    origins: texts(rule, 'AllowedOrigin'),
    methods: texts(rule, 'AllowedMethod'),
    headers: texts(rule, 'AllowedHeader'),
    exposed: texts(rule, 'ExposeHeader'),
    maxAgeSeconds: readSeconds(rule.textOf('MaxAgeSeconds')),
  }))
  await setCors(call, JSON.stringify(requireCorsRules(rules)))
  return emptyAnswer(200)
}

export const deleteBucketCors: S3Operation = async (call) => {
  await authorize(call, 'write')
  await setCors(call, null)
  return emptyAnswer(204)
}

async function setCors({ context, caller, request }: S3Call, cors: string | null): Promise<void> {
  await context.db.write((trx) => updateBucket(trx, { address: caller.address, name: request.bucket }, { cors }))
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text.trim())) throw s3Error('MalformedXML')
  return Number(text)
}
