import { createS3Credentials } from '@cairn/sdk'
import { type Command, type CommandContext, flag, pickAction, text } from '../command.ts'

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
  output.result(keys, lines.join('\n'))
  output.note('Anyone who has them may use them. They end with the API key. The secret is shown this once.')
}

const actions: Record<string, (context: CommandContext) => Promise<void>> = { credentials: createCredentials }

export const s3: Command = {
  name: 's3',
  summary: 'Create access keys for the S3 API',
  usage: '<credentials>',
  arity: [1, 1],
  words: Object.keys(actions),
  options: {
    bucket: { type: 'string', about: 'only this bucket (all)', value: 'name' },
    prefix: { type: 'string', about: 'only keys that start with this', value: 'text' },
    'read-only': { type: 'boolean', about: 'no uploads and no deletions' },
  },
  examples: ['cairn s3 credentials', 'cairn s3 credentials --bucket backups --prefix laptop/'],
  run: (context) => pickAction('s3', actions, context.args[0])(context),
}
