import { versitygw } from './binaries.ts'
import { s3Suite } from './s3.suite.ts'
import { startVersitygw } from './s3-gateway.ts'

s3Suite('versitygw', versitygw, startVersitygw)
