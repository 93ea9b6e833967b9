import type { Front } from '../front.ts'
import { createS3App } from './app.ts'
import { createLifecycleWorker } from './lifecycle/worker.ts'
import { createS3Worker } from './multipart/worker.ts'
import { createPublishWorker } from './publish/publish-worker.ts'
import { registerS3Routes } from './routes.ts'

/** The S3 API. */
export const s3Front: Front = {
  portSetting: 'CAIRN_S3_API_PORT',
  port: ({ s3Api }) => s3Api?.port,
  createApp: createS3App,
  describe: ({ s3Api }, url) =>
    s3Api === undefined ? {} : { s3: { endpoint: s3Api.publicUrl ?? url, region: s3Api.region } },
  registerCalls: registerS3Routes,
  createWorkers: (context, clock) => [
    createS3Worker(context, clock),
    createPublishWorker(context, clock),
    createLifecycleWorker(context, clock),
  ],
}
