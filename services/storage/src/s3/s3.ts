export { createS3Credential, findOrCreateS3Credential } from './access/credentials.ts'
export { s3Front } from './front.ts'
