import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { insertWebhook, requireWebhook } from '../webhooks/store.ts'
import { openWebhookSecret, requireWebhookSecret } from '../webhooks/webhook-secret.ts'
import { rotateSecret } from './rotate-secret.ts'

const address = '0x1111111111111111111111111111111111111111'
const old = new Uint8Array(32).fill(1)
const fresh = new Uint8Array(32).fill(2)

test('seals the secrets of webhooks again, and receivers keep theirs', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cairn-storage-rotate-'))
  const db = await openDatabase({ kind: 'sqlite', path: join(home, 'storage.sqlite') })
  try {
    const clock = { now: () => 1_700_000_000_000 }
    await db.write((trx) =>
      trx
        .insertInto('account')
        .values({ address, created_at: 1, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 })
        .execute(),
    )
    const config = readConfig({ CAIRN_HOME: home, CAIRN_MAX_WEBHOOKS_PER_ACCOUNT: '30' })
    const context = { db, clock, config, secret: old, secondarySecret: undefined }
    const settings = { url: 'https://example.com/', types: [], description: '' }
    const created = []
    for (let count = 0; count < 25; count++) created.push(await insertWebhook(context, address, settings))
    const admin = { db, clock, config, isDryRun: false, report: () => undefined }
    expect(await rotateSecret(admin, { primary: fresh, secondary: old })).toEqual({ sealed: 25, left: 0 })
    for (const { row, secret } of created) {
      const webhook = await requireWebhook(context, address, row.id)
      const bytes = openWebhookSecret({ secret: fresh, secondarySecret: undefined }, webhook)
      expect(`whsec_${Buffer.from(bytes).toString('base64')}`).toBe(secret)
      expect(() => openWebhookSecret(context, webhook)).toThrow('sealed with a different secret')
    }
    const start = { db, secondarySecret: undefined }
    await requireWebhookSecret({ ...start, secret: fresh })
    await expect(requireWebhookSecret({ ...start, secret: old })).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
  } finally {
    await db.close()
    await rm(home, { recursive: true, force: true })
  }
})
