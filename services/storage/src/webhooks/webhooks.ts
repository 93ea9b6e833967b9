export { endAllDeliveryOwners } from './deliveries.ts'
export { openWebhookSecret, requireWebhookSecret, sealSecret } from './webhook-secret.ts'
export { createWebhooksWorker } from './worker.ts'
