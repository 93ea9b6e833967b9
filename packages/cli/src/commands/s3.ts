import {
  CairnError,
  createS3Credentials,
  getS3Bucket,
  publishS3Bucket,
  type S3BucketState,
  unpublishS3Bucket,
} from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { type CommandContext, flag, text } from '../command.ts'

async function createCredentials({ session, values, output, signal }: CommandContext): Promise<void> {
  const bucket = text(values, 'bucket')
  const prefix = text(values, 'prefix')
  const isReadOnly = flag(values, 'read-only')
  const isLimited = bucket !== undefined || prefix !== undefined || isReadOnly
  const rule = {
    bucket: bucket ?? '*',
    access: isReadOnly ? ('read' as const) : ('read-write' as const),
    ...(prefix === undefined ? {} : { prefix }),
  }
  const keys = await createS3Credentials(await session.client(), isLimited ? [rule] : [], { signal })
  const lines = [
    `export AWS_ENDPOINT_URL_S3=${keys.endpoint}`,
    `export AWS_REGION=${keys.region}`,
    `export AWS_ACCESS_KEY_ID=${keys.accessKeyId}`,
    `export AWS_SECRET_ACCESS_KEY=${keys.secretAccessKey}`,
  ]
  output.result(keys, lines)
  output.note(
    'Anyone with these keys can use the buckets. They expire with the API key. The secret is shown only once.',
  )
}

/** Runs a call about the bucket that the second argument names, and prints its name and the CID of its folder. */
function onBucket(run: typeof getS3Bucket): (context: CommandContext) => Promise<void> {
  return async ({ session, args: [action, bucket], output, signal }) => {
    if (bucket === undefined) {
      throw new CairnError('USAGE', {
        message: 'The name of a bucket is missing',
        hint: `Use cairn s3 ${action} <bucket>.`,
      })
    }
    const state = await run(await session.client(), bucket, { signal })
    output.result(state, describeState(state))
    if (state.error !== null) output.note(`The bucket cannot be published: ${describeReason(state.error)}`)
  }
}

/** Describes the code of a reason that the owner can remove. */
function describeReason(code: string): string {
  switch (code) {
    case 'TOO_MANY_PARTS':
      return `it has more than 100,000 objects (${code})`
    case 'QUOTA_EXCEEDED':
      return `the account has too little storage for the folder (${code})`
    default:
      return code
  }
}

function describeState({ bucket, name, cid, isPublished, isCurrent }: S3BucketState): string[] {
  if (!isPublished) return [`${bucket} is not published`]
  const pending = isCurrent ? '' : ' (a change is being published)'
  return [`/ipns/${name}`, `/ipfs/${cid}${pending}`]
}

const actions: Actions = {
  credentials: createCredentials,
  publish: onBucket(publishS3Bucket),
  name: onBucket(getS3Bucket),
  unpublish: onBucket(unpublishS3Bucket),
}

export const s3 = actionCommand(actions, {
  name: 's3',
  summary: 'Create access keys for the S3 API, and publish buckets',
  usage: '[bucket]',
  arity: [1, 2],
  maxArguments: { credentials: 1 },
  options: {
    bucket: { type: 'string', actions: ['credentials'], about: 'only this bucket (all)', value: 'name' },
    prefix: { type: 'string', actions: ['credentials'], about: 'only keys that start with this', value: 'text' },
    'read-only': { type: 'boolean', actions: ['credentials'], about: 'no uploads and no deletions' },
  },
  examples: [
    'cairn s3 credentials',
    'cairn s3 credentials --bucket backups --prefix laptop/',
    'cairn s3 publish pictures',
  ],
})
