import { expect, test } from 'vitest'
import { codeOf } from '../../../../../tests/code-of.ts'
import { startTestS3 } from '../s3.fixture.ts'

test('an account has at most 1,000 access keys, without those of revoked and expired API keys', async () => {
  await using s3 = await startTestS3()
  const { db } = s3.context
  for (const column of ['revoked_at', 'expires_at'] as const) {
    const { apiKey, accessKeyId } = await s3.createKeys()
    const row = await db.read
      .selectFrom('s3_credential')
      .selectAll()
      .where('id', '=', accessKeyId)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: 999 }, (_, at) => ({ ...row, id: `CAIRN${column}${at}` }))
    await db.write((trx) => trx.insertInto('s3_credential').values(rows).execute())
    expect(await codeOf(s3.createKeys({ apiKey }))).toBe('FORBIDDEN')
    // Those of other accounts do not count.
    await s3.createKeys()

    const ofKeys = db.read.selectFrom('s3_credential').select('id').where('api_key_id', '=', row.api_key_id)
    const ended = { [column]: s3.context.clock.now() }
    await db.write((trx) => trx.updateTable('api_key').set(ended).where('id', '=', row.api_key_id).execute())
    await s3.createKeys({ apiKey })
    expect(await ofKeys.execute()).toHaveLength(1)
  }
})
